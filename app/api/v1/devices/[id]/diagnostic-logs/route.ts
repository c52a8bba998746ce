import { listLogs } from "@/server/devices/logs/agent-logs";
import { route } from "@/server/doors/http/route";

export const GET = route(listLogs, { summary: "List the diagnostic logs of a device's agent", auth: "user" });
