import { route } from "@/server/doors/http/route";
import { getMe } from "@/server/identity/me/account";

export const GET = route(getMe, { summary: "The caller, its organizations and its permissions", auth: "user" });
