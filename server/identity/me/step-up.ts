import { asSystem } from "@/db/client";
import { userSessions } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { PROOF_MS } from "@/server/ground/recent-proof";
import { noInput } from "@/server/ground/wire";
import { recordOwn, requirePerson } from "@/server/identity/auth/person";
import { hasPassword, provenPassword, requirePassword } from "@/server/identity/auth/prove-password";
import { secondFactorsOf } from "@/server/identity/auth/second-factor/factors";
import {
  arePasskeysPossible,
  authenticationOptions,
  keepChallenge,
  takeChallenge,
} from "@/server/identity/auth/second-factor/passkeys";
import { type Proof, provesSecondFactor } from "@/server/identity/auth/second-factor/prove";
import { stepUpDone, stepUpInput, stepUpOptions } from "./two-factor/schema";

/** POST /me/step-up/options: the caller's ways to confirm their identity; with a passkey, its challenge. */
export const beginStepUp = operation({
  account: true,
  input: noInput,
  output: stepUpOptions,
  async run(ctx) {
    const person = requirePerson(ctx);
    const [factors, hasOwnPassword] = await Promise.all([secondFactorsOf(person.id), hasPassword(person.id)]);
    const methods = [...(hasOwnPassword ? (["password"] as const) : []), ...(factors.totp ? (["totp"] as const) : [])];
    if (factors.passkeys.length === 0 || !arePasskeysPossible())
      return { methods, challenge: null, passkeyOptions: null };
    const options = await authenticationOptions(factors.passkeys);
    const kept = { userId: person.id, ceremony: "get" as const, now: ctx.now() };
    const challenge = await keepChallenge(kept, options.challenge);
    return { methods: [...methods, "passkey" as const], challenge, passkeyOptions: { ...options } };
  },
});

/** Checks that the caller has recently confirmed their identity: for links, which cannot prompt. */
export const checkProof = operation({
  account: true,
  input: noInput,
  output: "empty",
  stepUp: () => true,
  run: async () => {},
});

type Given = Proof & { password?: string | undefined; challenge?: string | undefined };

async function methodOf(userId: string, { password, code, passkey, challenge }: Given, now: Date) {
  if (password !== undefined) {
    await requirePassword(userId);
    return (await provenPassword(userId, password)) ? "password" : null;
  }
  const own = challenge ? await takeChallenge({ userId, ceremony: "get", now }, challenge) : null;
  return provesSecondFactor(userId, { code, passkey, challenge: own, now });
}

async function renewProof(ctx: Ctx, userId: string, now: Date): Promise<void> {
  const { session } = ctx;
  if (!session) throw new AppError("forbidden", "This needs a sign-in.");
  const via = session.viaBrowser ? "browser" : "api";
  await asSystem((tx) =>
    tx
      .insert(userSessions)
      .values({ id: session.id, userId, via, ip: ctx.ip, userAgent: ctx.userAgent, provenAt: now })
      .onConflictDoUpdate({ target: userSessions.id, set: { provenAt: now } }),
  );
}

/**
 * POST /me/step-up: confirms the caller's identity by password or second factor; covers this session for ten minutes.
 * @throws AppError validation_failed naming the wrong proof, rate_limited; conflict for a password where there is none
 */
export const stepUp = operation({
  account: true,
  input: stepUpInput,
  output: stepUpDone,
  async run(ctx, input) {
    const person = requirePerson(ctx);
    const now = ctx.now();
    const method = await methodOf(person.id, input, now);
    if (!method) {
      recordOwn(ctx, { action: "user.step_up", result: "failure", errorMessage: "The proof is wrong." });
      const field = input.password !== undefined ? "password" : input.code !== undefined ? "code" : "passkey";
      throw invalid(field, field === "code" ? "is wrong, or was used before" : "is wrong");
    }
    await renewProof(ctx, person.id, now);
    recordOwn(ctx, { action: "user.step_up", details: { method } });
    return { provenUntil: new Date(now.getTime() + PROOF_MS).toISOString() };
  },
});
