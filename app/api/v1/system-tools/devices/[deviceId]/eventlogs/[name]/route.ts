import { route } from "@/server/http/route";
import { getLog } from "@/server/live-events/get-log";
import { LIVE_ERRORS } from "@/server/live-events/query-device";

export const GET = route(getLog, {
  summary: "One event log of a device, live; the name is case-insensitive",
  auth: "user",
  errors: LIVE_ERRORS,
});
