import { route } from "@/server/http/route";
import { LIVE_ERRORS } from "@/server/live-events/ask-device";
import { getEvent } from "@/server/live-events/get-event";

export const GET = route(getEvent, { summary: "One event by its record id, live", auth: "user", errors: LIVE_ERRORS });
