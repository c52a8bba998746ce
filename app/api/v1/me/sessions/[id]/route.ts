import { route } from "@/server/doors/http/route";
import { endSession } from "@/server/identity/me/account";

export const DELETE = route(endSession, { summary: "End one of the caller's sessions", auth: "user" });
