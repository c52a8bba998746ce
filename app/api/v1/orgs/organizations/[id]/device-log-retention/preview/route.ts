import { previewDeviceLogs } from "@/server/device-logs/preview";
import { route } from "@/server/http/route";

export const GET = route(previewDeviceLogs, {
  summary: "What the next run would remove of the device logs if they were kept for so many days",
  auth: "user",
});
