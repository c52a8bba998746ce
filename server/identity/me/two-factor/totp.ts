import { and, eq, isNotNull, isNull } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { userTotp } from "@/db/schema";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { inTurn } from "@/server/ground/limits/concurrency";
import { limit, requireAttemptsLeft } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { requireRecentProof } from "@/server/ground/recent-proof";
import { noInput } from "@/server/ground/wire";
import { requirePerson } from "@/server/identity/auth/person";
import { seal, unseal } from "@/server/identity/auth/second-factor/sealed";
import { newTotpSecret, stepOf, totpUri } from "@/server/identity/auth/second-factor/totp";
import { lockSignIns } from "@/server/identity/auth/sessions";
import { confirmInput, recoveryCodes, totpSecret } from "./schema";
import { codesForFirst, dropCodesAfterLast, isRequired, recordFactor, requireAnother } from "./two-factor";

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
    const secret = row ? unseal(row.secret, userId) : null;
    const step = secret ? stepOf(secret, code.replace(/\s/g, ""), now) : null;
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
    recordFactor(ctx, person, { action: "user.two_factor.enable", details: { method: "totp" } });
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
    const person = requirePerson(ctx);
    requireRecentProof(ctx, "session");
    const required = await isRequired(ctx);
    await asSystem(async (tx) => {
      await lockSignIns(tx, person.id);
      await requireAnother(tx, person.id, required);
      const mine = and(eq(userTotp.userId, person.id), isNotNull(userTotp.confirmedAt));
      const gone = await tx.delete(userTotp).where(mine).returning({ userId: userTotp.userId });
      if (gone.length === 0) throw notFound("authenticator app");
      await dropCodesAfterLast(tx, person.id);
    });
    recordFactor(ctx, person, { action: "user.two_factor.disable", details: { method: "totp" } });
  },
});
