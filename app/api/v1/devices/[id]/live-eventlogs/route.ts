import { route } from "@/server/http/route";
import { listLogs } from "@/server/live-events/list-logs";
import { listByIdInput, logsOutput } from "@/server/live-events/schema";

export const GET = route({
  summary: "List a device's event logs, live from its agent",
  auth: "user",
  permission: "devices:live",
  input: listByIdInput,
  output: logsOutput,
  run: (ctx, { id }) => listLogs(ctx, { deviceId: id }),
});
