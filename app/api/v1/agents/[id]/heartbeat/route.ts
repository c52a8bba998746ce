import { recordHeartbeat } from "@/server/agents/heartbeat";
import { route } from "@/server/http/route";

export const POST = route(recordHeartbeat, {
  summary: "Report that the agent is alive",
  auth: "agent",
  body: "optional",
});
