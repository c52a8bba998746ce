import { getEvent } from "@/server/devices/live/queries";
import { LIVE_ERRORS } from "@/server/devices/live/query-device";
import { eventByIdInput } from "@/server/devices/live/schema";
import { route } from "@/server/doors/http/route";

export const GET = route(
  { ...getEvent, input: eventByIdInput },
  { summary: "One event by its record id, live", auth: "user", errors: LIVE_ERRORS },
);
