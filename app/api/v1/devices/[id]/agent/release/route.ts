import { releaseAgent } from "@/server/agents/revoke";
import { route } from "@/server/http/route";

export const POST = route(releaseAgent, {
  summary: "Let the device's agentId be enrolled again without its token, for a day",
  auth: "user",
  body: "none",
});
