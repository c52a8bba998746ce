import { and, eq, isNotNull } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { userPasskeys, userRecoveryCodes, userTotp } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import type { Person } from "@/server/identity/auth/person";
import { replaceRecoveryCodes } from "@/server/identity/auth/second-factor/recovery-codes";

type Action = "user.two_factor.enable" | "user.two_factor.disable" | "user.recovery_codes.create";

type Change = { action: Action; details?: Record<string, unknown> };

/** Says in the audit log what a person changed about their second factors. */
export function recordFactor(ctx: Ctx, person: Person, { action, details = {} }: Change): void {
  const about = resourceOf("user", person);
  record(ctx, { action, orgId: ctx.homeOrgId, ...about, details });
}

/** With the first factor come the recovery codes; null where there are some. */
export async function codesForFirst(tx: Tx, userId: string, now: Date): Promise<string[] | null> {
  const [known] = await tx.select().from(userRecoveryCodes).where(eq(userRecoveryCodes.userId, userId)).limit(1);
  return known ? null : replaceRecoveryCodes(tx, userId, now);
}

/** With the last factor the recovery codes go. */
export async function dropCodesAfterLast(tx: Tx, userId: string): Promise<void> {
  const totp = tx
    .select()
    .from(userTotp)
    .where(and(eq(userTotp.userId, userId), isNotNull(userTotp.confirmedAt)));
  const passkeys = tx.select().from(userPasskeys).where(eq(userPasskeys.userId, userId)).limit(1);
  if ((await totp).length + (await passkeys).length === 0)
    await tx.delete(userRecoveryCodes).where(eq(userRecoveryCodes.userId, userId));
}
