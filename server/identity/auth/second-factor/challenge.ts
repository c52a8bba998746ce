import { asSystem } from "@/db/client";
import { AppError } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { challengeInput, challengeOptions } from "@/server/identity/auth/schema";
import { lockSignIns } from "@/server/identity/auth/sessions";
import { type Method, OUTDATED, type Proven } from "@/server/identity/auth/start-session";
import { findUserToken, issueUserToken } from "@/server/identity/auth/user-tokens";
import { type SecondFactors, secondFactorsOf } from "./factors";
import { arePasskeysPossible, authenticationOptions } from "./passkeys";

/** Stored part of a challenge: the first proof, and the bytes for a passkey to sign. */
type Kept = { first: Method; passkey: string | null };

/** Stored part of a returned challenge. */
export const keptIn = ({ challenge }: { challenge: string | null }): Kept => JSON.parse(challenge ?? "{}") as Kept;

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
    const found = await asSystem((tx) => findUserToken(tx, given));
    if (!found) throw new AppError("unauthenticated", "The challenge is unknown, used or expired. Sign in again.");
    const { methods, passkeyOptions } = await optionsOf(await secondFactorsOf(found.userId), keptIn(found).passkey);
    return { methods, passkeyOptions: passkeyOptions ? { ...passkeyOptions } : null };
  },
});
