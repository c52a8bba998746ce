import { and, eq, isNotNull, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { organizations, partners, userPasskeys, userRecoveryCodes, users, userTotp } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { requireRecentProof } from "@/server/ground/recent-proof";
import { noInput } from "@/server/ground/wire";
import { type Person, requirePerson } from "@/server/identity/auth/person";
import { secondFactorsIn, secondFactorsOf } from "@/server/identity/auth/second-factor/factors";
import { arePasskeysPossible } from "@/server/identity/auth/second-factor/passkeys";
import { replaceRecoveryCodes } from "@/server/identity/auth/second-factor/recovery-codes";
import { lockSignIns } from "@/server/identity/auth/sessions";
import { recoveryCodes, twoFactor } from "./schema";

/** True if the caller, their organization (for a partner's staff its home) or partner requires a second factor. */
export async function isRequired({ actor, homeOrgId }: Ctx): Promise<boolean> {
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

/**
 * Called once the caller's factors can no longer change.
 * @throws AppError conflict when removing the caller's only second factor while one is required.
 */
export async function requireAnother(tx: Tx, userId: string, required: boolean): Promise<void> {
  if (!required) return;
  const { totp, passkeys } = await secondFactorsIn(tx, userId);
  if (Number(totp) + passkeys.length > 1) return;
  throw new AppError("conflict", "Your account requires two-factor sign-in. Add another factor first.");
}

type Action = "user.two_factor.enable" | "user.two_factor.disable" | "user.recovery_codes.create";

type Change = { action: Action; details?: Record<string, unknown> };

/** Records a person's change to their second factors. */
export function recordFactor(ctx: Ctx, person: Person, { action, details = {} }: Change): void {
  const about = resourceOf("user", person);
  record(ctx, { action, orgId: ctx.homeOrgId, ...about, details });
}

/** Creates recovery codes with the first factor; null if they exist. */
export async function codesForFirst(tx: Tx, userId: string, now: Date): Promise<string[] | null> {
  const [known] = await tx.select().from(userRecoveryCodes).where(eq(userRecoveryCodes.userId, userId)).limit(1);
  return known ? null : replaceRecoveryCodes(tx, userId, now);
}

/** Deletes the recovery codes with the last factor. */
export async function dropCodesAfterLast(tx: Tx, userId: string): Promise<void> {
  const totp = tx
    .select()
    .from(userTotp)
    .where(and(eq(userTotp.userId, userId), isNotNull(userTotp.confirmedAt)));
  const passkeys = tx.select().from(userPasskeys).where(eq(userPasskeys.userId, userId)).limit(1);
  if ((await totp).length + (await passkeys).length === 0)
    await tx.delete(userRecoveryCodes).where(eq(userRecoveryCodes.userId, userId));
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
      passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
        id,
        name,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      })),
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
    recordFactor(ctx, person, { action: "user.recovery_codes.create" });
    return { recoveryCodes: codes };
  },
});
