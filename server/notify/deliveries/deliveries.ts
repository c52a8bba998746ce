import { and, desc, eq, getTableColumns, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { oneOf } from "@/db/rows";
import { notificationDeliveries, users, webhookEndpoints } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { ownedResource } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { AppError, notFound } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { answerOf } from "@/server/ground/records";
import { inReach, inScope } from "@/server/ground/scope";
import { onlyIdInput } from "@/server/ground/wire";
import { reachesWholePartner } from "@/server/identity/auth/grant";
import { lockEndpoint } from "@/server/notify/webhooks/endpoint";
import { type DeliveryRow, queueAttempt, queueWebhook } from "./queue";
import { type Delivery, delivery, deliveryPage, listInput } from "./schema";

const t = notificationDeliveries;

/**
 * Messages to endpoints that the caller administers, and mails to the caller. Others' mails, and messages to a
 * partner's endpoint where the caller reaches less, may name things the caller must not see.
 */
async function visible(tx: Tx, ctx: Ctx): Promise<SQL | undefined> {
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
async function lockDelivery(tx: Tx, ctx: Ctx, id: string): Promise<DeliveryRow> {
  const where = and(await visible(tx, ctx), eq(t.id, id));
  const [row] = await tx.select().from(t).where(where).for("update");
  if (!row) throw notFound("delivery");
  if (row.endpointId) await lockEndpoint(tx, ctx, row.endpointId);
  return row;
}

/** A message with the name of its target: an endpoint's, or a person's address. */
const columns = {
  ...getTableColumns(t),
  target: sql<string>`coalesce((SELECT e.name FROM ${webhookEndpoints} e WHERE e.id = ${t.endpointId}),
    (SELECT u.email FROM ${users} u WHERE u.id = ${t.userId}), '')`,
};

/** A message without its possibly long body. */
const toDelivery = (row: DeliveryRow & { target: string }): Delivery =>
  answerOf(delivery, { ...row, channel: row.endpointId ? ("webhook" as const) : ("mail" as const) });

/** Delivery log, newest first: messages to endpoints that the caller administers, and mails to the caller. */
export const listDeliveries = operation({
  permission: "audit:manage",
  input: listInput,
  output: deliveryPage,
  run(ctx, input) {
    return tenant(ctx.scope, async (tx) => {
      const where = and(
        await visible(tx, ctx),
        input.endpointId ? eq(t.endpointId, input.endpointId) : undefined,
        input.status ? eq(t.status, input.status) : undefined,
      );
      const query = tx.select(columns).from(t).orderBy(desc(t.createdAt), desc(t.id)).$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      return { data: rows.map(toDelivery), pagination };
    });
  },
});

/**
 * Sends a message again now, whatever its state, under the same id, so that a receiver recognizes it. On failure it is
 * retried like a new one.
 * @throws AppError not_found, forbidden, conflict while its endpoint is disabled, rate_limited
 */
export const resendDelivery = operation({
  permission: "audit:manage",
  input: onlyIdInput,
  output: delivery,
  async run(ctx, { id }) {
    await limit("delivery", ctx.homeOrgId);
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockDelivery(tx, ctx, id);
      const [endpoint] = found.endpointId
        ? await tx.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, found.endpointId))
        : [];
      if (endpoint?.disabledAt) throw new AppError("conflict", "The endpoint is disabled. Enable it first.");
      const again = await tx
        .update(t)
        .set({ status: "pending", attempts: 0, nextAttemptAt: ctx.now() })
        .where(eq(t.id, id))
        .returning(columns);
      const row = oneOf(again);
      await queueAttempt(tx, row);
      return { row, about: endpoint && (await ownedResource(tx, "webhook", endpoint)) };
    });
    if (about)
      record(ctx, {
        ...about,
        action: "webhook.resend",
        details: { deliveryId: id, type: row.type, subject: row.subject },
      });
    return toDelivery(row);
  },
});

/**
 * Sends a message of type notification.test to an endpoint; the delivery log has its result.
 * @throws AppError not_found, forbidden, conflict for a disabled endpoint, rate_limited
 */
export const testWebhook = operation({
  permission: "audit:manage",
  input: onlyIdInput,
  output: delivery,
  async run(ctx, { id }) {
    await limit("delivery", ctx.homeOrgId);
    const { row, endpoint, about } = await tenant(ctx.scope, async (tx) => {
      const endpoint = await lockEndpoint(tx, ctx, id);
      if (endpoint.disabledAt) throw new AppError("conflict", "The endpoint is disabled. Enable it first.");
      const message = { type: "notification.test", subject: "Test message", at: ctx.now() };
      const row = await queueWebhook(tx, endpoint, {
        ...message,
        data: { endpointId: id, message: "This is a test message." },
      });
      return { row, endpoint, about: await ownedResource(tx, "webhook", endpoint) };
    });
    record(ctx, { ...about, action: "webhook.test", details: { deliveryId: row.id } });
    return toDelivery({ ...row, target: endpoint.name });
  },
});
