import { revokeAgent } from "@/server/devices/agents/revoke";
import { route } from "@/server/doors/http/route";

export const DELETE = route(revokeAgent, { summary: "Revoke the device's agent and end its stream", auth: "user" });
