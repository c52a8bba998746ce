import { ingestEvents } from "@/server/event-logs/ingest";
import { ingestInput, ingestOutput } from "@/server/event-logs/schema";
import { route } from "@/server/http/route";

export const PUT = route({
  summary: "Submit events of the device; those already stored are ignored",
  auth: "agent",
  input: ingestInput,
  output: ingestOutput,
  run: ingestEvents,
});
