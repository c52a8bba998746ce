import { previewDeviceLogs } from "@/server/device-logs/preview";
import { route } from "@/server/http/route";

export const GET = route(previewDeviceLogs, {
  summary: "Which device logs the next run would remove if they were kept for a given number of days",
  auth: "user",
});
