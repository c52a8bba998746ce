import { ingestLogs } from "@/server/agent-logs/ingest";
import { ingestInput, ingestOutput } from "@/server/agent-logs/schema";
import { route } from "@/server/http/route";

export const POST = route({
  summary: "Submit the agent's own diagnostic logs",
  auth: "agent",
  input: ingestInput,
  output: ingestOutput,
  status: 201,
  run: ingestLogs,
});
