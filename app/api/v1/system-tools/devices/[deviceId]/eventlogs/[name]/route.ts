import { route } from "@/server/http/route";
import { getLog } from "@/server/live-events/get-log";

export const GET = route(getLog, { summary: "One event log of a device, live; the name in any case", auth: "user" });
