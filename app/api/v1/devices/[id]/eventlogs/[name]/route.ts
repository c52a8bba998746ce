import { route } from "@/server/http/route";
import { getLog } from "@/server/live-events/get-log";
import { logByIdInput, logOutput } from "@/server/live-events/schema";

export const GET = route({
  summary: "One event log of a device, live; the name in any case",
  auth: "user",
  permission: "devices:live",
  input: logByIdInput,
  output: logOutput,
  run: (ctx, { id, ...rest }) => getLog(ctx, { deviceId: id, ...rest }),
});
