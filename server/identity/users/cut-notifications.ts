import { and, eq, isNotNull, ne, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { notificationDeliveries, notificationSettings } from "@/db/schema";

/**
 * Cuts the organizations that a person chose down to those within another reach: all of it where none is left, because they
 * would be notified of nothing else.
 */
export async function keepChosenWithin(tx: Tx, userId: string, organizationIds: readonly string[]): Promise<void> {
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
