import { route } from "@/server/http/route";
import { listLogs } from "@/server/live-events/list-logs";
import { LIVE_ERRORS } from "@/server/live-events/query-device";
import { listByIdInput } from "@/server/live-events/schema";

export const GET = route(
  { ...listLogs, input: listByIdInput },
  { summary: "List a device's event logs, live from its agent", auth: "user", errors: LIVE_ERRORS },
);
