import { route } from "@/server/http/route";
import { openStream } from "@/server/live-events/open-stream";
import { streamInput } from "@/server/live-events/schema";

export const GET = route({
  summary: "The agent's command stream (Server-Sent Events)",
  auth: "agent",
  input: streamInput,
  output: "stream",
  run: openStream,
});
