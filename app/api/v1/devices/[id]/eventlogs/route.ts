import { listEvents } from "@/server/event-logs/list";
import { route } from "@/server/http/route";

export const GET = route(listEvents, { summary: "List a device's stored events", auth: "user" });
