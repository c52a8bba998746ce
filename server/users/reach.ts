import { eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { userOrganizations, users } from "@/db/schema";
import type { Ctx } from "@/server/context";
import { AppError } from "@/server/errors";
import { partnerOfOrg } from "@/server/partner";
import { reaches } from "@/server/scope";

/** @throws AppError forbidden unless all of the organizations are the partner's and within the caller's own reach. */
export async function requireReachOver(ctx: Ctx, partnerId: string, organizationIds: string[]): Promise<void> {
  for (const id of organizationIds)
    if (!reaches(ctx.scope, id) || (await partnerOfOrg(id)) !== partnerId)
      throw new AppError("forbidden", "You have no access to one of the organizations.");
}

/**
 * Gives a person of the partner's staff another reach: all of its organizations (null) or those. It counts from their
 * next request on, in every session, because the scope is looked up each time.
 */
export async function setReach(tx: Tx, userId: string, organizationIds: string[] | null): Promise<void> {
  await tx
    .update(users)
    .set({ allOrganizations: organizationIds === null })
    .where(eq(users.id, userId));
  await tx.delete(userOrganizations).where(eq(userOrganizations.userId, userId));
  const rows = (organizationIds ?? []).map((orgId) => ({ userId, orgId }));
  if (rows.length > 0) await tx.insert(userOrganizations).values(rows);
}
