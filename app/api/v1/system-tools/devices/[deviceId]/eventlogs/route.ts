import { route } from "@/server/http/route";
import { listLogs } from "@/server/live-events/list-logs";
import { LIVE_ERRORS } from "@/server/live-events/query-device";

export const GET = route(listLogs, {
  summary: "List a device's event logs, live from its agent",
  auth: "user",
  errors: LIVE_ERRORS,
});
