import { listEvents } from "@/server/devices/logs/event-logs";
import { route } from "@/server/doors/http/route";

export const GET = route(listEvents, { summary: "List a device's stored events", auth: "user" });
