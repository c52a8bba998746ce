import { route } from "@/server/http/route";
import { LIVE_ERRORS } from "@/server/live-events/query-device";
import { queryEvents } from "@/server/live-events/query-events";

export const GET = route(queryEvents, {
  summary: "Events of one log, filtered and paged, live",
  auth: "user",
  errors: LIVE_ERRORS,
});
