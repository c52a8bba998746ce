import { route } from "@/server/http/route";
import { getLog } from "@/server/live-events/get-log";
import { logInput, logOutput } from "@/server/live-events/schema";

export const GET = route({
  summary: "One event log of a device, live; the name in any case",
  auth: "user",
  permission: "devices:live",
  input: logInput,
  output: logOutput,
  run: getLog,
});
