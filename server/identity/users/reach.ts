import { and, eq, isNotNull, ne, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import type { Tx } from "@/db/client";
import {
  notificationDeliveries,
  notificationSettings,
  organizations,
  userOrganizations,
  users,
} from "@/db/schema/index";
import type { Ctx } from "@/server/ground/context";
import { AppError, notFound } from "@/server/ground/errors";
import { reaches } from "@/server/ground/scope";

/**
 * Reduces a person's chosen organizations to those in a new reach; if none is left, to all of it, or they would get no
 * notifications.
 */
async function keepChosenWithin(tx: Tx, userId: string, organizationIds: readonly string[]): Promise<void> {
  const { orgIds } = notificationSettings;
  const kept = sql`ARRAY(SELECT chosen FROM unnest(${orgIds}) AS chosen WHERE chosen = ANY (${uuids(organizationIds)}))`;
  await tx
    .update(notificationSettings)
    .set({ orgIds: sql`nullif(${kept}, '{}')` })
    .where(and(eq(notificationSettings.userId, userId), isNotNull(orgIds)));
}

/**
 * Deletes undelivered mails to a person: written for what they could see then, they could still be sent after the reach
 * is reduced.
 */
export async function dropMails(tx: Tx, userId: string): Promise<void> {
  const t = notificationDeliveries;
  await tx.delete(t).where(and(eq(t.userId, userId), ne(t.status, "delivered")));
}

type Over = { partnerId: string; organizationIds: string[] };

/**
 * @param tx sees every organization. Must not need a second connection, because concurrent changes holding row locks
 * could exhaust the pool.
 * @throws AppError forbidden unless all of the organizations are the partner's and within the caller's own reach;
 * not_found for one within reach that is gone.
 */
export async function requireReachOver(tx: Tx, ctx: Ctx, { partnerId, organizationIds }: Over): Promise<void> {
  const { id, partnerId: owner } = organizations;
  const rows = await tx
    .select({ id, owner })
    .from(organizations)
    .where(sql`${id} = ANY (${uuids(organizationIds)})`);
  const ownerOf = new Map(rows.map((row) => [row.id, row.owner]));
  for (const orgId of organizationIds) {
    const isReached = reaches(ctx.scope, orgId);
    if (isReached && !ownerOf.has(orgId)) throw notFound("organization");
    if (!isReached || ownerOf.get(orgId) !== partnerId)
      throw new AppError("forbidden", "You have no access to one of the organizations.");
  }
}

/**
 * Changes the reach of partner staff: all organizations (null) or these. Effective with the next request in every
 * session, because the scope is read each time; chosen organizations for notifications stay if still in reach.
 */
export async function setReach(tx: Tx, userId: string, organizationIds: string[] | null): Promise<void> {
  await tx
    .update(users)
    .set({ allOrganizations: organizationIds === null })
    .where(eq(users.id, userId));
  await tx.delete(userOrganizations).where(eq(userOrganizations.userId, userId));
  const rows = (organizationIds ?? []).map((orgId) => ({ userId, orgId }));
  if (rows.length > 0) await tx.insert(userOrganizations).values(rows);
  if (organizationIds) await keepChosenWithin(tx, userId, organizationIds);
}
