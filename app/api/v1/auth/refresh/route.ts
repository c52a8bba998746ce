import { route } from "@/server/doors/http/route";
import { refreshToken } from "@/server/identity/auth/sessions";

export const POST = route(refreshToken, {
  summary: "Exchange a refresh token for new tokens; a token used twice revokes its whole family",
  auth: "none",
});
