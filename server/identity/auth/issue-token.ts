import { operation } from "@/server/ground/operation";
import { tokenInput, tokenOutput } from "./schema";
import { signIn } from "./sign-in";
import { toTokens } from "./start-session";

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
