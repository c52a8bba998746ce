import { asSystem, type Tx } from "@/db/client";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { findUserCaller } from "@/server/identity/auth/caller";
import { type SecondFactorInput, secondFactorInput, tokenOutput } from "@/server/identity/auth/schema";
import { type Door, type SignIn, startSession, toTokens } from "@/server/identity/auth/start-session";
import { findUserToken, spendUserToken } from "@/server/identity/auth/user-tokens";
import { keptIn } from "./challenge";
import { provesSecondFactor } from "./prove";

const refusal = (message: string) => new AppError("unauthenticated", message);

/**
 * Second step of a sign-in: answers the challenge of the first. After a wrong answer another may follow within the
 * challenge's five minutes.
 * @throws AppError unauthenticated for a challenge that is unknown, used or expired, or a wrong factor; rate_limited.
 */
export async function answerChallenge(ctx: Ctx, input: SecondFactorInput, door: Door): Promise<SignIn> {
  await limit("token", ctx.ip);
  const now = ctx.now();
  const given = { secret: input.challenge, purpose: "second_factor" as const, now };
  const found = await asSystem((tx) => findUserToken(tx, given));
  const caller = found && (await findUserCaller(found.userId));
  if (!found || !caller) throw refusal("The challenge is unknown, used or expired. Sign in again.");
  const kept = keptIn(found);
  const method = await provesSecondFactor(found.userId, { ...input, challenge: kept.passkey, now });
  if (!method) {
    record(
      { ...ctx, ...caller },
      {
        action: "user.login.failed",
        orgId: caller.homeOrgId,
        ...resourceOf("user", caller.actor),
        details: { reason: "bad_second_factor" },
        result: "failure",
        errorMessage: "The second factor is wrong.",
      },
    );
    throw refusal("The code is wrong, or was used before.");
  }
  // A password change in the meantime has deleted the challenge.
  const isGood = async (tx: Tx) => (await spendUserToken(tx, given)) !== null;
  return startSession(ctx, caller, { ...door, methods: [kept.first, method], isGood });
}

/**
 * POST /auth/token/second-factor: tokens of a sign-in whose first step answered second_factor_required.
 * @throws AppError unauthenticated, rate_limited
 */
export const issueTokenBySecondFactor = operation({
  input: secondFactorInput,
  output: tokenOutput,
  async run(ctx, input) {
    return toTokens(await answerChallenge(ctx, input, { via: "api" }));
  },
});
