import { route } from "@/server/http/route";
import { getLog } from "@/server/live-events/get-log";
import { LIVE_ERRORS } from "@/server/live-events/query-device";
import { logByIdInput } from "@/server/live-events/schema";

export const GET = route(
  { ...getLog, input: logByIdInput },
  { summary: "One event log of a device, live; the name is case-insensitive", auth: "user", errors: LIVE_ERRORS },
);
