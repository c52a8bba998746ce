import { route } from "@/server/http/route";
import { getTwoFactor } from "@/server/me/two-factor/get";

export const GET = route(getTwoFactor, { summary: "The caller's second factors", auth: "user" });
