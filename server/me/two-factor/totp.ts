import { and, eq, isNotNull, isNull } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { userTotp } from "@/db/schema";
import { limit, requireAttemptsLeft } from "@/server/auth/limits/rate-limit";
import { requirePerson } from "@/server/auth/person";
import { seal, unseal } from "@/server/auth/second-factor/sealed";
import { newTotpSecret, stepOf, totpUri } from "@/server/auth/second-factor/totp";
import { AppError, invalid, notFound } from "@/server/errors";
import { operation } from "@/server/operation";
import { requireRecentProof } from "@/server/recent-proof";
import { noInput } from "@/server/wire";
import { codesForFirst, dropCodesAfterLast, recordFactor } from "./changed";
import { requireAnother } from "./required";
import { confirmInput, recoveryCodes, totpSecret } from "./schema";

/**
 * POST /me/two-factor/totp: a secret for an authenticator app. It counts once confirmed; asking again replaces it.
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

/**
 * POST /me/two-factor/totp/confirm: the first code of the app turns it on; with a first factor come recovery codes.
 * @throws AppError validation_failed for a wrong code, rate_limited
 */
export const confirmTotp = operation({
  account: true,
  input: confirmInput,
  output: recoveryCodes,
  async run(ctx, { code }) {
    const person = requirePerson(ctx);
    await requireAttemptsLeft("second_factor.failed", person.id);
    const now = ctx.now();
    const codes = await asSystem(async (tx) => {
      const begun = and(eq(userTotp.userId, person.id), isNull(userTotp.confirmedAt));
      const [row] = await tx.select().from(userTotp).where(begun).for("update");
      const step = row ? stepOf(unseal(row.secret, person.id), code.replace(/\s/g, ""), now) : null;
      if (step === null) return undefined;
      await tx.update(userTotp).set({ confirmedAt: now, lastStep: step }).where(begun);
      return codesForFirst(tx, person.id, now);
    });
    if (codes === undefined) {
      await limit("second_factor.failed", person.id);
      throw invalid("code", "is wrong; check that the clock of your device is right");
    }
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
    await requireAnother(ctx, person.id);
    const removed = await asSystem(async (tx) => {
      const mine = and(eq(userTotp.userId, person.id), isNotNull(userTotp.confirmedAt));
      const gone = await tx.delete(userTotp).where(mine).returning({ userId: userTotp.userId });
      await dropCodesAfterLast(tx, person.id);
      return gone.length > 0;
    });
    if (!removed) throw notFound("authenticator app");
    recordFactor(ctx, person, { action: "user.two_factor.disable", details: { method: "totp" } });
  },
});
