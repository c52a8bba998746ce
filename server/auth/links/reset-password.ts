import { resetInput } from "@/server/auth/schema";
import { operation } from "@/server/operation";
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
