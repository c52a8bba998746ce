import { route } from "@/server/http/route";
import { markRead } from "@/server/notifications/mark-read";

export const POST = route(markRead, {
  summary: "Mark notifications as read by the caller; without ids all of them",
  auth: "user",
  body: "optional",
});
