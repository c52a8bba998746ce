import { operation } from "@/server/operation";
import { ACCESS_TOKEN_SECONDS, scopeClaims, signAccessToken } from "./jwt";
import { type TokenOutput, tokenInput, tokenOutput } from "./schema";
import { signIn } from "./sign-in";
import type { SignIn } from "./start-session";

/** The pair of tokens that the API hands out for a sign-in. */
export async function toTokens({ caller, sid, refreshToken }: SignIn): Promise<TokenOutput> {
  const accessToken = await signAccessToken({ sub: caller.actor.id, sid, ...scopeClaims(caller.scope) });
  return { accessToken, tokenType: "Bearer", expiresIn: ACCESS_TOKEN_SECONDS, refreshToken };
}

/**
 * POST /auth/token: an access and a refresh token for e-mail and password.
 * @throws AppError second_factor_required, unauthenticated, rate_limited
 */
export const issueToken = operation({
  input: tokenInput,
  output: tokenOutput,
  async run(ctx, input) {
    return toTokens(await signIn(ctx, input, { via: "api" }));
  },
});
