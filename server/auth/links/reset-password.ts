import { resetInput } from "@/server/auth/schema";
import { operation } from "@/server/operation";
import { spendPasswordLink } from "./password-link";

/**
 * POST /auth/password/reset: a new password for whoever has the link; ends the person's sessions, signs nobody in.
 * @throws AppError validation_failed for a bad token, rate_limited
 */
export const resetPassword = operation({
  input: resetInput,
  output: "empty",
  async run(ctx, { token, password }) {
    await spendPasswordLink(ctx, { kind: "reset", token, password });
  },
});
