import { route } from "@/server/http/route";
import { listLogs } from "@/server/live-events/list-logs";

export const GET = route(listLogs, { summary: "List a device's event logs, live from its agent", auth: "user" });
