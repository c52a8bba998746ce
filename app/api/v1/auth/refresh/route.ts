import { refreshToken } from "@/server/auth/refresh-token";
import { refreshInput, tokenOutput } from "@/server/auth/schema";
import { route } from "@/server/http/route";

export const POST = route({
  summary: "Exchange a refresh token for new tokens; a token used twice ends its whole family",
  auth: "none",
  input: refreshInput,
  output: tokenOutput,
  run: refreshToken,
});
