import { recordHeartbeat } from "@/server/agents/heartbeat";
import { heartbeatInput, heartbeatOutput } from "@/server/agents/schema";
import { route } from "@/server/http/route";

export const POST = route({
  summary: "Tell that the agent is alive",
  auth: "agent",
  input: heartbeatInput,
  output: heartbeatOutput,
  run: recordHeartbeat,
});
