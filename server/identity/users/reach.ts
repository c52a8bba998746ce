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
 * Cuts the organizations that a person chose down to those within another reach: all of it where none is left, because they
 * would be notified of nothing else.
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
 * Deletes the mails to a person that were not delivered: they were written for what the person could see then, and would be
 * sent, or could be sent again, after that is less.
 */
export async function dropMails(tx: Tx, userId: string): Promise<void> {
  const t = notificationDeliveries;
  await tx.delete(t).where(and(eq(t.userId, userId), ne(t.status, "delivered")));
}

type Over = { partnerId: string; organizationIds: string[] };

/**
 * @param tx sees every organization. One that already holds rows asks for no second connection here: as many such changes
 * as the pool has connections would wait for each other.
 * @throws AppError forbidden unless all of the organizations are the partner's and within the caller's own reach; not_found
 * for one within reach that is gone.
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
 * Gives a person of the partner's staff another reach: all of its organizations (null) or those. It counts from their
 * next request on, in every session, because the scope is looked up each time; of the organizations that they chose to be
 * notified of, those within it stay.
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
