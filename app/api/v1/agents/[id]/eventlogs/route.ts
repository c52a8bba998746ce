import { ingestEvents } from "@/server/devices/logs/event-logs";
import { route } from "@/server/doors/http/route";

export const PUT = route(ingestEvents, {
  summary: "Submit events of the device; those already stored are ignored",
  auth: "agent",
  isExact: true,
});
