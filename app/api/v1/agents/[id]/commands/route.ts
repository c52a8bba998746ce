import { openStream } from "@/server/devices/live/agent-channel";
import { route } from "@/server/doors/http/route";

export const GET = route(openStream, {
  summary: "The agent's command stream (Server-Sent Events)",
  auth: "agent",
  produces: ["text/event-stream"],
});
