import { operation } from "@/server/ground/operation";
import { resetInput } from "@/server/identity/auth/schema";
import { spendPasswordLink } from "./password-link";

/**
 * POST /auth/password/reset: a new password for the holder of the link; ends the person's sessions and does not sign in.
 * @throws AppError validation_failed for a bad token, rate_limited
 */
export const resetPassword = operation({
  input: resetInput,
  output: "empty",
  async run(ctx, { token, password }) {
    await spendPasswordLink(ctx, { kind: "reset", token, password });
  },
});
