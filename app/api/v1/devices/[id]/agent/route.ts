import { revokeAgent } from "@/server/agents/revoke";
import { route } from "@/server/http/route";

export const DELETE = route(revokeAgent, { summary: "Revoke the device's agent and end its stream", auth: "user" });
