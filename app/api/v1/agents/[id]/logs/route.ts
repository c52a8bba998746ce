import { ingestLogs } from "@/server/devices/logs/agent-logs";
import { route } from "@/server/doors/http/route";

export const POST = route(ingestLogs, {
  summary: "Submit the agent's own diagnostic logs",
  auth: "agent",
  isExact: true,
  status: 201,
});
