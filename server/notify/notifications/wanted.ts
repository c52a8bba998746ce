import { and, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { notificationReads, notificationSettings, notifications } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { inScope } from "@/server/ground/scope";
import { DEFAULT_PRODUCT_KINDS, KIND_NAMES } from "@/server/notify/vocabulary";

const t = notifications;

/** Time of a notification's latest change. */
export const changedAt = sql`coalesce(${t.resolvedAt}, ${t.raisedAt})`;

/** Organizations that the caller chose to see notifications of; programs see all. */
export async function wantedBy(tx: Tx, { actor, scope }: Ctx): Promise<SQL | undefined> {
  const raised = and(inScope(t.orgId, scope), isNotNull(t.raisedAt));
  if (actor.type !== "user") return raised;
  const [chosen] = await tx.select().from(notificationSettings).where(eq(notificationSettings.userId, actor.id));
  const kinds = chosen?.productKinds ?? DEFAULT_PRODUCT_KINDS;
  const known = kinds.filter((kind) => KIND_NAMES.some((name) => name === kind));
  return and(
    raised,
    known.length > 0 ? inArray(t.kind, known) : sql`false`,
    chosen?.orgIds ? (chosen.orgIds.length > 0 ? inArray(t.orgId, chosen.orgIds) : sql`false`) : undefined,
  );
}

/** True if the caller has read a notification's latest change. */
export const isReadBy = ({ actor }: Ctx): SQL<boolean> =>
  actor.type === "user"
    ? sql<boolean>`EXISTS (SELECT FROM ${notificationReads} r
        WHERE r.notification_id = ${t.id} AND r.user_id = ${actor.id} AND r.read_at >= ${changedAt})`
    : sql<boolean>`false`;
