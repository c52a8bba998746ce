import { recordHeartbeat } from "@/server/devices/agents/heartbeat";
import { route } from "@/server/doors/http/route";

export const POST = route(recordHeartbeat, {
  summary: "Report that the agent is alive",
  auth: "agent",
  body: "optional",
});
