import { operation } from "@/server/ground/operation";
import { accepted, acceptInput } from "@/server/identity/auth/schema";
import { spendPasswordLink } from "./password-link";

/**
 * POST /auth/invite/accept: the invited person chooses a password, and signs in with it next.
 * @throws AppError validation_failed for a bad token, rate_limited
 */
export const acceptInvite = operation({
  input: acceptInput,
  output: accepted,
  async run(ctx, { token, password }) {
    const { actor } = await spendPasswordLink(ctx, { kind: "invite", token, password });
    return { email: actor.email, name: actor.name };
  },
});
