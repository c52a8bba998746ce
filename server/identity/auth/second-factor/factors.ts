import { and, asc, count, eq, isNotNull, isNull } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { userPasskeys, userRecoveryCodes, userTotp } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { lockSignIns } from "@/server/identity/auth/sessions";

/** Second factors of a person, read in a transaction. */
export async function secondFactorsIn(tx: Tx, userId: string) {
  const [[totp], passkeys, [codes]] = await Promise.all([
    tx
      .select({ confirmedAt: userTotp.confirmedAt })
      .from(userTotp)
      .where(and(eq(userTotp.userId, userId), isNotNull(userTotp.confirmedAt))),
    tx.select().from(userPasskeys).where(eq(userPasskeys.userId, userId)).orderBy(asc(userPasskeys.createdAt)),
    tx
      .select({ left: count() })
      .from(userRecoveryCodes)
      .where(and(eq(userRecoveryCodes.userId, userId), isNull(userRecoveryCodes.usedAt))),
  ]);
  const isOn = totp !== undefined || passkeys.length > 0;
  return { isOn, totp: totp !== undefined, passkeys, recoveryCodesLeft: codes?.left ?? 0 };
}

export const secondFactorsOf = (userId: string) => asSystem((tx) => secondFactorsIn(tx, userId));
export type SecondFactors = Awaited<ReturnType<typeof secondFactorsOf>>;

/** People who require a second factor must have one. @throws AppError conflict; the platform itself is exempt. */
export async function requireOwnFactor({ actor }: Pick<Ctx, "actor">): Promise<void> {
  if (actor.type !== "user" || (await secondFactorsOf(actor.id)).isOn) return;
  throw new AppError("conflict", "This concerns you too: set up two-factor sign-in in your own account first.");
}

/** Removes all second factors of a person, recovery codes included. */
export const removeSecondFactors = (userId: string): Promise<void> =>
  asSystem(async (tx) => {
    await lockSignIns(tx, userId);
    for (const table of [userTotp, userPasskeys, userRecoveryCodes])
      await tx.delete(table).where(eq(table.userId, userId));
  });
