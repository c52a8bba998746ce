import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { inTime } from "@/db/lookup";
import { partners, users } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { type Ctx, systemCtx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { repairText, toSlug } from "@/server/ground/text";
import { hashPassword } from "@/server/identity/auth/password";
import { insertOrganization } from "@/server/organizations/create";
import type { CompleteInput } from "./schema";

export type Founding = Omit<CompleteInput, "token">;

/** True while there is no partner: no user can sign in yet, except a system admin. */
export async function isSetupNeeded(): Promise<boolean> {
  const found = await inTime(asSystem((tx) => tx.select({ id: partners.id }).from(partners).limit(1)));
  return found.length === 0;
}

/**
 * Creates the first partner, its home organization and its first administrator, in an empty database.
 * @returns false when there is a partner already, also when two try at the same moment.
 * @throws AppError conflict when the e-mail belongs to a system admin.
 */
export async function foundPartner(given: Founding, ctx: Ctx = systemCtx()): Promise<boolean> {
  const passwordHash = await hashPassword(given.password);
  const organizationName = repairText(given.organizationName);
  const admin = { id: newId(), email: given.email, name: repairText(given.name), role: "partner_admin" as const };
  const home = await asSystem(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('trailmark setup', 0))`);
    if ((await tx.select({ id: partners.id }).from(partners).limit(1)).length > 0) return;
    const partnerId = newId();
    await tx.insert(partners).values({ id: partnerId, name: organizationName, slug: toSlug(organizationName) });
    const org = await insertOrganization(tx, { partnerId, name: organizationName, isHome: true });
    const created = await tx
      .insert(users)
      .values({ ...admin, partnerId, passwordHash })
      .onConflictDoNothing()
      .returning();
    if (created.length === 0) throw new AppError("conflict", "That e-mail is already in use.");
    return org;
  });
  if (!home) return false;
  const about = { orgId: home.id, details: { setup: true } };
  record(ctx, {
    ...about,
    action: "organization.create",
    ...resourceOf("organization", home),
  });
  record(ctx, {
    ...about,
    action: "user.create",
    ...resourceOf("user", admin),
  });
  return true;
}
