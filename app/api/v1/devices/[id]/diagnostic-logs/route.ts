import { listLogs } from "@/server/agent-logs/list";
import { route } from "@/server/http/route";

export const GET = route(listLogs, { summary: "List the diagnostic logs of a device's agent", auth: "user" });
