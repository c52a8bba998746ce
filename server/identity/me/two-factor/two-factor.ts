import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { organizations, partners, userPasskeys, userRecoveryCodes, users, userTotp } from "@/db/schema/index";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { inTurn } from "@/server/ground/limits/concurrency";
import { requireQuota } from "@/server/ground/limits/quota";
import { limit, requireAttemptsLeft } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { requireRecentProof } from "@/server/ground/recent-proof";
import { isoTimes } from "@/server/ground/records";
import { noInput, onlyIdInput } from "@/server/ground/wire";
import { recordOwn, requirePerson } from "@/server/identity/auth/person";
import { secondFactorsIn, secondFactorsOf } from "@/server/identity/auth/second-factor/factors";
import {
  arePasskeysPossible,
  keepChallenge,
  readRegistration,
  registrationOptions,
  takeChallenge,
} from "@/server/identity/auth/second-factor/passkeys";
import {
  newTotpSecret,
  replaceRecoveryCodes,
  seal,
  stepOfApp,
  totpUri,
} from "@/server/identity/auth/second-factor/prove";
import { lockSignIns } from "@/server/identity/auth/sessions";
import { addPasskeyInput, confirmInput, passkeyOptions, recoveryCodes, totpSecret, twoFactor } from "./schema";

/** True if the caller, their organization (for a partner's staff its home) or partner requires a second factor. */
async function isRequired({ actor, homeOrgId }: Ctx): Promise<boolean> {
  if (actor.type !== "user") return false;
  const [row] = await asSystem((tx) =>
    tx
      .select({
        required: sql<boolean>`(${users.requireTwoFactor} OR ${organizations.requireTwoFactor} IS TRUE OR ${partners.requireTwoFactor} IS TRUE)`,
      })
      .from(users)
      .leftJoin(organizations, sql`${organizations.id} = ${homeOrgId}::uuid`)
      .leftJoin(partners, eq(partners.id, organizations.partnerId))
      .where(eq(users.id, actor.id)),
  );
  return row?.required ?? false;
}

/** Creates recovery codes with the first factor; null if they exist. */
async function codesForFirst(tx: Tx, userId: string, now: Date): Promise<string[] | null> {
  const [known] = await tx.select().from(userRecoveryCodes).where(eq(userRecoveryCodes.userId, userId)).limit(1);
  return known ? null : replaceRecoveryCodes(tx, userId, now);
}

/**
 * Removes a factor by `remove`, and the recovery codes with the last one.
 * @throws AppError conflict when it is the only factor and one is required, step_up_required
 */
async function removeFactor<T>(ctx: Ctx, remove: (tx: Tx, userId: string) => Promise<T>): Promise<T> {
  const { id: userId } = requirePerson(ctx);
  requireRecentProof(ctx, "session");
  const required = await isRequired(ctx);
  return asSystem(async (tx) => {
    await lockSignIns(tx, userId);
    const removed = await remove(tx, userId);
    const { isOn } = await secondFactorsIn(tx, userId);
    if (required && !isOn)
      throw new AppError("conflict", "Your account requires two-factor sign-in. Add another factor first.");
    if (!isOn) await tx.delete(userRecoveryCodes).where(eq(userRecoveryCodes.userId, userId));
    return removed;
  });
}

/** GET /me/two-factor: the caller's second factors, without their secrets. */
export const getTwoFactor = operation({
  account: true,
  input: noInput,
  output: twoFactor,
  async run(ctx) {
    const { id } = requirePerson(ctx);
    const [{ totp, passkeys, recoveryCodesLeft }, required] = await Promise.all([secondFactorsOf(id), isRequired(ctx)]);
    return {
      totp,
      recoveryCodesLeft,
      required,
      passkeysPossible: arePasskeysPossible(),
      passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => isoTimes({ id, name, createdAt, lastUsedAt })),
    };
  },
});

/**
 * POST /me/two-factor/recovery-codes: replaces all codes with ten new ones.
 * @throws AppError conflict without a second factor, step_up_required
 */
export const renewRecoveryCodes = operation({
  account: true,
  input: noInput,
  output: recoveryCodes,
  async run(ctx) {
    const person = requirePerson(ctx);
    requireRecentProof(ctx, "session");
    const codes = await asSystem(async (tx) => {
      await lockSignIns(tx, person.id);
      if (!(await secondFactorsIn(tx, person.id)).isOn)
        throw new AppError("conflict", "Recovery codes go with a second factor; set one up first.");
      return replaceRecoveryCodes(tx, person.id, ctx.now());
    });
    recordOwn(ctx, { action: "user.recovery_codes.create" });
    return { recoveryCodes: codes };
  },
});

/**
 * POST /me/two-factor/totp: a secret for an authenticator app. Counts once confirmed; requesting again replaces it.
 * @throws AppError conflict when one is on already, step_up_required
 */
export const beginTotp = operation({
  account: true,
  input: noInput,
  output: totpSecret,
  async run(ctx) {
    const person = requirePerson(ctx);
    requireRecentProof(ctx, "session");
    const secret = newTotpSecret();
    const fresh = { secret: seal(secret, person.id), createdAt: ctx.now() };
    const kept = await asSystem((tx) =>
      tx
        .insert(userTotp)
        .values({ userId: person.id, ...fresh })
        .onConflictDoUpdate({ target: userTotp.userId, set: fresh, setWhere: isNull(userTotp.confirmedAt) })
        .returning(),
    );
    if (kept.length === 0) throw new AppError("conflict", "An authenticator app is set up already; remove it first.");
    return { secret, uri: totpUri(secret, person.email) };
  },
});

/** Turns on the app with this code. @returns recovery codes, if it is the first factor */
async function confirmed(userId: string, code: string, now: Date): Promise<string[] | null> {
  await requireAttemptsLeft("second_factor.failed", userId);
  const codes = await asSystem(async (tx) => {
    await lockSignIns(tx, userId);
    const begun = and(eq(userTotp.userId, userId), isNull(userTotp.confirmedAt));
    const [row] = await tx.select().from(userTotp).where(begun).for("update");
    const step = row ? stepOfApp(row, code.replace(/\s/g, ""), now) : null;
    if (step === null) return undefined;
    await tx.update(userTotp).set({ confirmedAt: now, lastStep: step }).where(begun);
    return codesForFirst(tx, userId, now);
  });
  if (codes !== undefined) return codes;
  await limit("second_factor.failed", userId);
  throw invalid("code", "is wrong; check that the clock of your device is right");
}

/**
 * POST /me/two-factor/totp/confirm: the app's first code turns it on; a first factor also creates recovery codes.
 * @throws AppError validation_failed for a wrong code, rate_limited
 */
export const confirmTotp = operation({
  account: true,
  input: confirmInput,
  output: recoveryCodes,
  async run(ctx, { code }) {
    const person = requirePerson(ctx);
    const codes = await inTurn(`second factor ${person.id}`, () => confirmed(person.id, code, ctx.now()));
    recordOwn(ctx, { action: "user.two_factor.enable", details: { method: "totp" } });
    return { recoveryCodes: codes };
  },
});

/**
 * DELETE /me/two-factor/totp: turns the authenticator app off.
 * @throws AppError not_found, conflict when it is the only factor and one is required, step_up_required
 */
export const removeTotp = operation({
  account: true,
  input: noInput,
  output: "empty",
  async run(ctx) {
    await removeFactor(ctx, async (tx, userId) => {
      const mine = and(eq(userTotp.userId, userId), isNotNull(userTotp.confirmedAt));
      const gone = await tx.delete(userTotp).where(mine).returning({ userId: userTotp.userId });
      if (gone.length === 0) throw notFound("authenticator app");
    });
    recordOwn(ctx, { action: "user.two_factor.disable", details: { method: "totp" } });
  },
});

const MAX_PASSKEYS = 20;

/**
 * POST /me/passkeys/options: options for the browser to create a passkey (WebAuthn).
 * @throws AppError conflict where passkeys are not possible or there are too many, step_up_required
 */
export const beginPasskey = operation({
  account: true,
  input: noInput,
  output: passkeyOptions,
  async run(ctx) {
    const person = requirePerson(ctx);
    requireRecentProof(ctx, "session");
    const { passkeys } = await secondFactorsOf(person.id);
    if (passkeys.length >= MAX_PASSKEYS) throw new AppError("conflict", "There are 20 passkeys; remove one first.");
    const options = await registrationOptions(person, passkeys);
    const kept = { userId: person.id, ceremony: "create" as const, now: ctx.now() };
    return { challenge: await keepChallenge(kept, options.challenge), options: { ...options } };
  },
});

/**
 * POST /me/passkeys: stores the browser's new passkey; a first factor also creates recovery codes.
 * @throws AppError validation_failed for an answer that does not fit its challenge, conflict for a known one or one too
 * many
 */
export const addPasskey = operation({
  account: true,
  input: addPasskeyInput,
  output: recoveryCodes,
  async run(ctx, { challenge, name, response }) {
    const person = requirePerson(ctx);
    const now = ctx.now();
    const expected = await takeChallenge({ userId: person.id, ceremony: "create", now }, challenge);
    if (expected === null) throw invalid("challenge", "is unknown, used or expired");
    const registered = await readRegistration(response, expected);
    if (!registered) throw invalid("response", "does not answer the challenge");
    const codes = await asSystem(async (tx) => {
      await lockSignIns(tx, person.id);
      const where = eq(userPasskeys.userId, person.id);
      const bound = { max: MAX_PASSKEYS, what: "passkeys", owner: person.id, remedy: "Remove one first." };
      await requireQuota(tx, { table: userPasskeys, where, ...bound });
      const row = { userId: person.id, name, createdAt: now, ...registered };
      const kept = await tx.insert(userPasskeys).values(row).onConflictDoNothing().returning({ id: userPasskeys.id });
      if (kept.length === 0) throw new AppError("conflict", "This passkey is in use already.");
      return codesForFirst(tx, person.id, now);
    });
    recordOwn(ctx, { action: "user.two_factor.enable", details: { method: "passkey", name } });
    return { recoveryCodes: codes };
  },
});

/**
 * DELETE /me/passkeys/:id.
 * @throws AppError not_found, conflict when it is the only factor and one is required, step_up_required
 */
export const removePasskey = operation({
  account: true,
  input: onlyIdInput,
  output: "empty",
  async run(ctx, { id }) {
    const name = await removeFactor(ctx, async (tx, userId) => {
      const mine = and(eq(userPasskeys.userId, userId), eq(userPasskeys.id, id));
      const [gone] = await tx.delete(userPasskeys).where(mine).returning({ name: userPasskeys.name });
      if (!gone) throw notFound("passkey");
      return gone.name;
    });
    recordOwn(ctx, { action: "user.two_factor.disable", details: { method: "passkey", name } });
  },
});
