import { route } from "@/server/http/route";
import { listLogs } from "@/server/live-events/list-logs";
import { listInput, logsOutput } from "@/server/live-events/schema";

export const GET = route({
  summary: "List a device's event logs, live from its agent",
  auth: "user",
  permission: "devices:live",
  input: listInput,
  output: logsOutput,
  run: listLogs,
});
