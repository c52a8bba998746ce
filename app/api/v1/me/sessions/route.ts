import { route } from "@/server/http/route";
import { listSessions } from "@/server/me/list-sessions";

export const GET = route(listSessions, { summary: "The caller's sessions that have not ended", auth: "user" });
