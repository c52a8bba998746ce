import { route } from "@/server/http/route";
import { listNotifications } from "@/server/notifications/list";

export const GET = route(listNotifications, {
  summary: "Notifications about the organizations that the caller can access, last changed first",
  auth: "user",
});
