import { route } from "@/server/http/route";
import { getEvent } from "@/server/live-events/get-event";
import { eventByIdInput, eventOutput } from "@/server/live-events/schema";

export const GET = route({
  summary: "One event by its record id, live",
  auth: "user",
  permission: "devices:live",
  input: eventByIdInput,
  output: eventOutput,
  run: (ctx, { id, ...rest }) => getEvent(ctx, { deviceId: id, ...rest }),
});
