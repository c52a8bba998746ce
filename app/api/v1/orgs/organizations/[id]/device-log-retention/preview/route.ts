import { previewDeviceLogs } from "@/server/devices/logs/policy";
import { route } from "@/server/doors/http/route";

export const GET = route(previewDeviceLogs, {
  summary: "Which device logs the next run would remove if they were kept for a given number of days",
  auth: "user",
});
