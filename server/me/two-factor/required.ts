import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { organizations } from "@/db/schema";
import { secondFactorsOf } from "@/server/auth/second-factor/factors";
import type { Ctx } from "@/server/context";
import { AppError } from "@/server/errors";

/** Whether the caller's organization, or for a partner's staff its home, requires a second factor of its people. */
export async function isRequired({ homeOrgId }: Ctx): Promise<boolean> {
  if (!homeOrgId) return false;
  const [org] = await asSystem((tx) =>
    tx.select({ required: organizations.requireTwoFactor }).from(organizations).where(eq(organizations.id, homeOrgId)),
  );
  return org?.required ?? false;
}

/** @throws AppError conflict when what is about to go is the caller's only second factor and one is required. */
export async function requireAnother(ctx: Ctx, userId: string): Promise<void> {
  const { totp, passkeys } = await secondFactorsOf(userId);
  if (Number(totp) + passkeys.length > 1 || !(await isRequired(ctx))) return;
  throw new AppError("conflict", "Your organization requires two-factor sign-in. Add another factor first.");
}
