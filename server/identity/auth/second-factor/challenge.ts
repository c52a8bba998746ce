import { asSystem, type Tx } from "@/db/client";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { findUserCaller } from "@/server/identity/auth/caller";
import { recordOwn } from "@/server/identity/auth/person";
import {
  challengeInput,
  challengeOptions,
  type SecondFactorInput,
  secondFactorInput,
  tokenOutput,
} from "@/server/identity/auth/schema";
import {
  type Door,
  lockSignIns,
  type Method,
  OUTDATED,
  type Proven,
  type SignIn,
  startSession,
  toTokens,
} from "@/server/identity/auth/sessions";
import { findUserToken, issueUserToken, spendUserToken } from "@/server/identity/auth/user-tokens";
import { type SecondFactors, secondFactorsOf } from "./factors";
import { arePasskeysPossible, authenticationOptions } from "./passkeys";
import { provesSecondFactor } from "./prove";

/** Stored part of a challenge: the first proof, and the bytes for a passkey to sign. */
type Kept = { first: Method; passkey: string | null };

const UNKNOWN_CHALLENGE = "The challenge is unknown, used or expired. Sign in again.";

/** Stored part of a returned challenge. */
const keptIn = ({ challenge }: { challenge: string | null }): Kept => JSON.parse(challenge ?? "{}") as Kept;

/** A person's possible factors, and the browser's options for a passkey: for the given challenge or a new one. */
async function optionsOf(factors: SecondFactors, challenge?: string | null) {
  const isPossible = factors.passkeys.length > 0 && arePasskeysPossible() && challenge !== null;
  const options = isPossible ? await authenticationOptions(factors.passkeys) : undefined;
  const passkeyOptions = options && { ...options, challenge: challenge ?? options.challenge };
  const methods = [
    ...(factors.totp ? ["totp"] : []),
    ...(passkeyOptions ? ["passkey"] : []),
    ...(factors.recoveryCodesLeft > 0 ? ["recovery_code"] : []),
  ];
  return { methods, passkeyOptions };
}

/**
 * Refusal that asks for the second factor after a correct first proof (contract, Accounts).
 * @throws AppError unauthenticated when that proof is no longer valid
 */
export async function secondFactorRequired({
  userId,
  factors,
  first,
  now,
  isGood = async () => true,
}: {
  userId: string;
  factors: SecondFactors;
  first: Method;
  now: Date;
} & Pick<Proven, "isGood">): Promise<AppError> {
  const { methods, passkeyOptions } = await optionsOf(factors);
  const kept: Kept = { first, passkey: passkeyOptions?.challenge ?? null };
  const { secret } = await asSystem(async (tx) => {
    await lockSignIns(tx, userId);
    if (!(await isGood(tx))) throw new AppError("unauthenticated", OUTDATED);
    return issueUserToken(tx, { userId, purpose: "second_factor", now, challenge: JSON.stringify(kept) });
  });
  return new AppError("second_factor_required", "Give the second factor to continue.", {
    secondFactor: { challenge: secret, methods, ...(passkeyOptions && { passkeyOptions }) },
  });
}

/**
 * Possible answers to a challenge, for its holder: a sign-in by an identity provider passes only the challenge, because
 * an address has no room for more.
 * @throws AppError unauthenticated for a challenge that is unknown, used or expired; rate_limited
 */
export const describeChallenge = operation({
  input: challengeInput,
  output: challengeOptions,
  async run(ctx, { challenge }) {
    await limit("token", ctx.ip);
    const given = { secret: challenge, purpose: "second_factor" as const, now: ctx.now() };
    const found = await findUserToken(given);
    if (!found) throw new AppError("unauthenticated", UNKNOWN_CHALLENGE);
    const { methods, passkeyOptions } = await optionsOf(await secondFactorsOf(found.userId), keptIn(found).passkey);
    return { methods, passkeyOptions: passkeyOptions ? { ...passkeyOptions } : null };
  },
});

/**
 * Second step of a sign-in: answers the challenge of the first. After a wrong answer another may follow within the
 * challenge's five minutes.
 * @throws AppError unauthenticated for a challenge that is unknown, used or expired, or a wrong factor; rate_limited.
 */
export async function answerChallenge(ctx: Ctx, input: SecondFactorInput, door: Door): Promise<SignIn> {
  await limit("token", ctx.ip);
  const now = ctx.now();
  const given = { secret: input.challenge, purpose: "second_factor" as const, now };
  const found = await findUserToken(given);
  const caller = found && (await findUserCaller(found.userId));
  if (!found || !caller) throw new AppError("unauthenticated", UNKNOWN_CHALLENGE);
  const kept = keptIn(found);
  const method = await provesSecondFactor(found.userId, { ...input, challenge: kept.passkey, now });
  if (!method) {
    recordOwn(
      { ...ctx, ...caller },
      {
        action: "user.login.failed",
        details: { reason: "bad_second_factor" },
        result: "failure",
        errorMessage: "The second factor is wrong.",
      },
    );
    throw new AppError("unauthenticated", "The code is wrong, or was used before.");
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
