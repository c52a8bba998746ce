import { route } from "@/server/doors/http/route";
import { listNotifications } from "@/server/notify/notifications/list";

export const GET = route(listNotifications, {
  summary: "Notifications about the organizations that the caller can access, last changed first",
  auth: "user",
});
