import { route } from "@/server/http/route";
import { queryEvents } from "@/server/live-events/query-events";
import { eventsByIdInput, eventsOutput } from "@/server/live-events/schema";

export const GET = route({
  summary: "Events of one log, filtered and paged, live",
  auth: "user",
  permission: "devices:live",
  input: eventsByIdInput,
  output: eventsOutput,
  run: (ctx, { id, ...rest }) => queryEvents(ctx, { deviceId: id, ...rest }),
});
