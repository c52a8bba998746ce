import { route } from "@/server/doors/http/route";
import { listSessions } from "@/server/identity/me/account";

export const GET = route(listSessions, { summary: "The caller's sessions that have not ended", auth: "user" });
