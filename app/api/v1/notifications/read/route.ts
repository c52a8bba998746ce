import { route } from "@/server/doors/http/route";
import { markRead } from "@/server/notify/notifications/list";

export const POST = route(markRead, {
  summary: "Mark notifications as read by the caller; without ids all of them",
  auth: "user",
  body: "optional",
});
