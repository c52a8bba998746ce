import { route } from "@/server/http/route";
import { getMe } from "@/server/me/get";

export const GET = route(getMe, { summary: "The caller, its organizations and its permissions", auth: "user" });
