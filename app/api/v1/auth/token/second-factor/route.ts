import { issueTokenBySecondFactor } from "@/server/auth/second-factor/answer";
import { route } from "@/server/http/route";

export const POST = route(issueTokenBySecondFactor, {
  summary: "Complete the challenge of a sign-in with a second factor; returns an access token and a refresh token",
  auth: "none",
});
