import { route } from "@/server/http/route";
import { openStream } from "@/server/live-events/open-stream";

export const GET = route(openStream, {
  summary: "The agent's command stream (Server-Sent Events)",
  auth: "agent",
  produces: ["text/event-stream"],
});
