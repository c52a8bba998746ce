import { getEvent } from "@/server/devices/live/queries";
import { LIVE_ERRORS } from "@/server/devices/live/query-device";
import { route } from "@/server/doors/http/route";

export const GET = route(getEvent, { summary: "One event by its record id, live", auth: "user", errors: LIVE_ERRORS });
