import { route } from "@/server/http/route";
import { listLogs } from "@/server/live-events/list-logs";
import { listByIdInput } from "@/server/live-events/schema";

export const GET = route(
  { ...listLogs, input: listByIdInput },
  { summary: "List a device's event logs, live from its agent", auth: "user" },
);
