import { route } from "@/server/doors/http/route";
import { getSettings, setSettings } from "@/server/notify/notifications/settings";

export const GET = route(getSettings, {
  summary: "What the caller is notified of, in the product and by e-mail",
  auth: "user",
});

export const PUT = route(setSettings, {
  summary: "Change what the caller is notified of; omitted members keep their values",
  auth: "user",
});
