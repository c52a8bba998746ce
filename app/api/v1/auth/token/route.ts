import { issueToken } from "@/server/auth/issue-token";
import { route } from "@/server/http/route";

export const POST = route(issueToken, {
  summary: "Sign in with e-mail and password; returns an access token and a refresh token",
  auth: "none",
  errors: ["second_factor_required"],
});
