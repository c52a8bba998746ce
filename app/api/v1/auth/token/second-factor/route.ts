import { route } from "@/server/doors/http/route";
import { issueTokenBySecondFactor } from "@/server/identity/auth/second-factor/challenge";

export const POST = route(issueTokenBySecondFactor, {
  summary: "Complete the challenge of a sign-in with a second factor; returns an access token and a refresh token",
  auth: "none",
});
