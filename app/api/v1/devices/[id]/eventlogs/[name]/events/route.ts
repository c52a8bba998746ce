import { queryEvents } from "@/server/devices/live/queries";
import { LIVE_ERRORS } from "@/server/devices/live/query-device";
import { eventsByIdInput } from "@/server/devices/live/schema";
import { route } from "@/server/doors/http/route";

export const GET = route(
  { ...queryEvents, input: eventsByIdInput },
  { summary: "Events of one log, filtered and paged, live", auth: "user", errors: LIVE_ERRORS },
);
