import { and, eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { userPasskeys } from "@/db/schema";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { requireRecentProof } from "@/server/ground/recent-proof";
import { noInput, onlyIdInput } from "@/server/ground/wire";
import { requirePerson } from "@/server/identity/auth/person";
import { secondFactorsOf } from "@/server/identity/auth/second-factor/factors";
import {
  challengeFor,
  keptChallenge,
  readRegistration,
  registrationOptions,
} from "@/server/identity/auth/second-factor/passkeys";
import { lockSignIns } from "@/server/identity/auth/sessions";
import { issueUserToken, spendUserToken } from "@/server/identity/auth/user-tokens";
import { addPasskeyInput, passkeyOptions, recoveryCodes } from "./schema";
import { codesForFirst, dropCodesAfterLast, isRequired, recordFactor, requireAnother } from "./two-factor";

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
    const challenge = keptChallenge("create", options.challenge);
    const { secret } = await asSystem((tx) =>
      issueUserToken(tx, { userId: person.id, purpose: "passkey", now: ctx.now(), challenge }),
    );
    return { challenge: secret, options: { ...options } };
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
    const spent = await asSystem((tx) => spendUserToken(tx, { secret: challenge, purpose: "passkey", now }));
    const expected = spent?.userId === person.id ? challengeFor("create", spent.challenge) : null;
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
    recordFactor(ctx, person, { action: "user.two_factor.enable", details: { method: "passkey", name } });
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
    const person = requirePerson(ctx);
    requireRecentProof(ctx, "session");
    const mine = and(eq(userPasskeys.userId, person.id), eq(userPasskeys.id, id));
    const required = await isRequired(ctx);
    const name = await asSystem(async (tx) => {
      await lockSignIns(tx, person.id);
      const [known] = await tx.select().from(userPasskeys).where(mine);
      if (!known) throw notFound("passkey");
      await requireAnother(tx, person.id, required);
      await tx.delete(userPasskeys).where(mine);
      await dropCodesAfterLast(tx, person.id);
      return known.name;
    });
    recordFactor(ctx, person, { action: "user.two_factor.disable", details: { method: "passkey", name } });
  },
});
