import { route } from "@/server/http/route";
import { endSession } from "@/server/me/end-session";

export const DELETE = route(endSession, { summary: "End one of the caller's sessions", auth: "user" });
