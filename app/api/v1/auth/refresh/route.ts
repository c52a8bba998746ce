import { refreshToken } from "@/server/auth/refresh-token";
import { route } from "@/server/http/route";

export const POST = route(refreshToken, {
  summary: "Exchange a refresh token for new tokens; a token used twice revokes its whole family",
  auth: "none",
});
