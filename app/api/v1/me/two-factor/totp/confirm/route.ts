import { route } from "@/server/http/route";
import { confirmTotp } from "@/server/me/two-factor/totp";

export const POST = route(confirmTotp, { summary: "Turn an authenticator app on by its first code", auth: "user" });
