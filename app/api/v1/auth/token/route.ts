import { issueToken } from "@/server/auth/issue-token";
import { tokenInput, tokenOutput } from "@/server/auth/schema";
import { route } from "@/server/http/route";

export const POST = route({
  summary: "Sign in with e-mail and password; answers an access token and a refresh token",
  auth: "none",
  input: tokenInput,
  output: tokenOutput,
  run: issueToken,
});
