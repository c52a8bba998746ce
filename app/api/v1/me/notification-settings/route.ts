import { route } from "@/server/http/route";
import { getSettings, setSettings } from "@/server/notifications/settings";

export const GET = route(getSettings, {
  summary: "Of what the caller is told, in the product and by mail",
  auth: "user",
});

export const PUT = route(setSettings, { summary: "Choose of what to be told; what is left out stays", auth: "user" });
