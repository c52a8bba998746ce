import { listEvents } from "@/server/event-logs/list";
import { eventLogPage, listInput } from "@/server/event-logs/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "List a device's stored events",
  auth: "user",
  permission: "devices:read",
  input: listInput,
  output: eventLogPage,
  run: listEvents,
});
