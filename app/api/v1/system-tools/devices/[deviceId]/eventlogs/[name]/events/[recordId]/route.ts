import { route } from "@/server/http/route";
import { getEvent } from "@/server/live-events/get-event";
import { eventInput, eventOutput } from "@/server/live-events/schema";

export const GET = route({
  summary: "One event by its record id, live",
  auth: "user",
  permission: "devices:live",
  input: eventInput,
  output: eventOutput,
  run: getEvent,
});
