import { route } from "@/server/http/route";
import { listNotifications } from "@/server/notifications/list";

export const GET = route(listNotifications, {
  summary: "What the caller is to know of the organizations within reach, last changed first",
  auth: "user",
});
