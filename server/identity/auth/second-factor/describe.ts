import { asSystem } from "@/db/client";
import { AppError } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { challengeInput, challengeOptions } from "@/server/identity/auth/schema";
import { findUserToken } from "@/server/identity/auth/user-tokens";
import { keptIn, optionsOf } from "./challenge";
import { secondFactorsOf } from "./factors";

/**
 * What a challenge can be answered with, for its holder: a sign-in by an identity provider hands over the challenge
 * alone, because an address has no room for more.
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
