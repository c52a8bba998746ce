import { listLogs } from "@/server/agent-logs/list";
import { agentLogPage, listInput } from "@/server/agent-logs/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "List the diagnostic logs of a device's agent",
  auth: "user",
  permission: "devices:read",
  input: listInput,
  output: agentLogPage,
  run: listLogs,
});
