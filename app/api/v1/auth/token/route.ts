import { route } from "@/server/doors/http/route";
import { issueToken } from "@/server/identity/auth/sign-in";

export const POST = route(issueToken, {
  summary: "Sign in with e-mail and password; returns an access token and a refresh token",
  auth: "none",
  errors: ["second_factor_required"],
});
