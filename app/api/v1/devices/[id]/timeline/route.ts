import { listTimeline } from "@/server/devices/timeline/timeline";
import { route } from "@/server/doors/http/route";

export const GET = route(listTimeline, {
  summary: "A device's audit entries, diagnostic logs and stored events merged by time, newest first",
  auth: "user",
});
