import { route } from "@/server/http/route";
import { queryEvents } from "@/server/live-events/query-events";
import { eventsInput, eventsOutput } from "@/server/live-events/schema";

export const GET = route({
  summary: "Events of one log, filtered and paged, live",
  auth: "user",
  permission: "devices:live",
  input: eventsInput,
  output: eventsOutput,
  run: queryEvents,
});
