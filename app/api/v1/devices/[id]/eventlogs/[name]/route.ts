import { getLog } from "@/server/devices/live/queries";
import { LIVE_ERRORS } from "@/server/devices/live/query-device";
import { logByIdInput } from "@/server/devices/live/schema";
import { route } from "@/server/doors/http/route";

export const GET = route(
  { ...getLog, input: logByIdInput },
  { summary: "One event log of a device, live; the name is case-insensitive", auth: "user", errors: LIVE_ERRORS },
);
