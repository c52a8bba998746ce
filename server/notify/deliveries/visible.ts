import { and, eq, inArray, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { notificationDeliveries, users, webhookEndpoints } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { notFound } from "@/server/ground/errors";
import { inReach, inScope } from "@/server/ground/scope";
import { reachesWholePartner } from "@/server/identity/auth/grant";
import { lockEndpoint } from "@/server/notify/webhooks/endpoint";
import type { DeliveryRow } from "./queue";
import type { Delivery } from "./schema";

/**
 * Messages to endpoints that the caller administers, and mails to the caller. Others' mails, and messages to a
 * partner's endpoint where the caller reaches less, may name things the caller must not see.
 */
export async function visible(tx: Tx, ctx: Ctx): Promise<SQL | undefined> {
  const t = notificationDeliveries;
  const ofPartner = (await reachesWholePartner(tx, ctx)) ? undefined : isNotNull(webhookEndpoints.orgId);
  const endpoints = sql`EXISTS (SELECT FROM ${webhookEndpoints} WHERE ${and(eq(webhookEndpoints.id, t.endpointId), inReach(webhookEndpoints, ctx.scope), ofPartner)})`;
  const toEndpoint = and(isNotNull(t.endpointId), isNull(t.userId), endpoints);
  if (ctx.actor.type !== "user") return toEndpoint;
  const toCaller = and(eq(t.userId, ctx.actor.id), or(inScope(t.orgId, ctx.scope), isNull(t.orgId)));
  return or(toEndpoint, toCaller);
}

/**
 * A message that the caller may send again, locked for this transaction.
 * @throws AppError not_found, forbidden for a partner's endpoint and a caller who reaches less
 */
export async function lockDelivery(tx: Tx, ctx: Ctx, id: string): Promise<DeliveryRow> {
  const where = and(await visible(tx, ctx), eq(notificationDeliveries.id, id));
  const [row] = await tx.select().from(notificationDeliveries).where(where).for("update");
  if (!row) throw notFound("delivery");
  if (row.endpointId) await lockEndpoint(tx, ctx, row.endpointId);
  return row;
}

/** Names of the rows' targets. */
export async function namesOf(tx: Tx, rows: readonly DeliveryRow[]): Promise<Map<string, string>> {
  const ids = (of: (row: DeliveryRow) => string | null) => [...new Set(rows.flatMap((row) => of(row) ?? []))];
  const [endpointIds, userIds] = [ids((row) => row.endpointId), ids((row) => row.userId)];
  const endpoints = endpointIds.length
    ? await tx
        .select({ id: webhookEndpoints.id, name: webhookEndpoints.name })
        .from(webhookEndpoints)
        .where(inArray(webhookEndpoints.id, endpointIds))
    : [];
  const people = userIds.length
    ? await tx.select({ id: users.id, name: users.email }).from(users).where(inArray(users.id, userIds))
    : [];
  return new Map([...endpoints, ...people].map(({ id, name }) => [id, name]));
}

/** A message without its possibly long body. */
export const toDelivery = (row: DeliveryRow, names: ReadonlyMap<string, string>): Delivery => ({
  id: row.id,
  channel: row.endpointId ? "webhook" : "mail",
  endpointId: row.endpointId,
  target: names.get(row.endpointId ?? row.userId ?? "") ?? "",
  orgId: row.orgId,
  type: row.type,
  subject: row.subject,
  status: row.status,
  attempts: row.attempts,
  responseCode: row.responseCode,
  error: row.error,
  createdAt: row.createdAt.toISOString(),
  lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
  nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  deliveredAt: row.deliveredAt?.toISOString() ?? null,
});
