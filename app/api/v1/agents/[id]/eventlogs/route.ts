import { ingestEvents } from "@/server/event-logs/ingest";
import { route } from "@/server/http/route";

export const PUT = route(ingestEvents, {
  summary: "Submit events of the device; those already stored are ignored",
  auth: "agent",
  numbers: "exact",
});
