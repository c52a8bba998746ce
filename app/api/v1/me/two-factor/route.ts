import { route } from "@/server/doors/http/route";
import { getTwoFactor } from "@/server/identity/me/two-factor/two-factor";

export const GET = route(getTwoFactor, { summary: "The caller's second factors", auth: "user" });
