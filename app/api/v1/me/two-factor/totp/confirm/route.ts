import { route } from "@/server/doors/http/route";
import { confirmTotp } from "@/server/identity/me/two-factor/two-factor";

export const POST = route(confirmTotp, { summary: "Turn on an authenticator app with its first code", auth: "user" });
