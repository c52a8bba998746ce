import { releaseAgent } from "@/server/devices/agents/revoke";
import { route } from "@/server/doors/http/route";

export const POST = route(releaseAgent, {
  summary: "Allow the device's agentId to be enrolled again without its token, for a day",
  auth: "user",
  body: "none",
});
