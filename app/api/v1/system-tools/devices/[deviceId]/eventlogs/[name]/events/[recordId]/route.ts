import { route } from "@/server/http/route";
import { getEvent } from "@/server/live-events/get-event";
import { LIVE_ERRORS } from "@/server/live-events/query-device";

export const GET = route(getEvent, { summary: "One event by its record id, live", auth: "user", errors: LIVE_ERRORS });
