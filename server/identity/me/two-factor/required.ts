import { eq, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { organizations, partners } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { secondFactorsIn } from "@/server/identity/auth/second-factor/factors";

/** Whether the caller's organization (for a partner's staff its home), or its partner, requires a second factor. */
export async function isRequired({ homeOrgId }: Ctx): Promise<boolean> {
  if (!homeOrgId) return false;
  const [org] = await asSystem((tx) =>
    tx
      .select({ required: sql<boolean>`(${organizations.requireTwoFactor} OR ${partners.requireTwoFactor})` })
      .from(organizations)
      .innerJoin(partners, eq(partners.id, organizations.partnerId))
      .where(eq(organizations.id, homeOrgId)),
  );
  return org?.required ?? false;
}

/**
 * Asked once nothing of the caller's factors changes any more.
 * @throws AppError conflict when what is about to go is the caller's only second factor and one is required.
 */
export async function requireAnother(tx: Tx, userId: string, required: boolean): Promise<void> {
  if (!required) return;
  const { totp, passkeys } = await secondFactorsIn(tx, userId);
  if (Number(totp) + passkeys.length > 1) return;
  throw new AppError("conflict", "Your organization requires two-factor sign-in. Add another factor first.");
}
