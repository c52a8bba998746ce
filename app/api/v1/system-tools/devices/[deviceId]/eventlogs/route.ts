import { listLogs } from "@/server/devices/live/queries";
import { LIVE_ERRORS } from "@/server/devices/live/query-device";
import { route } from "@/server/doors/http/route";

export const GET = route(listLogs, {
  summary: "List a device's event logs, live from its agent",
  auth: "user",
  errors: LIVE_ERRORS,
});
