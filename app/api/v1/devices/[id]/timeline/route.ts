import { route } from "@/server/http/route";
import { listTimeline } from "@/server/timeline/list";

export const GET = route(listTimeline, {
  summary: "A device's audit entries, diagnostic logs and stored events merged by time, newest first",
  auth: "user",
});
