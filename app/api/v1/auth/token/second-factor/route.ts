import { issueTokenBySecondFactor } from "@/server/auth/second-factor/answer";
import { route } from "@/server/http/route";

export const POST = route(issueTokenBySecondFactor, {
  summary: "Answer the challenge of a sign-in with a second factor; answers an access token and a refresh token",
  auth: "none",
});
