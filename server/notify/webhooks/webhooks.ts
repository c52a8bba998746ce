import { and, asc, desc, eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { oneOf } from "@/db/rows";
import { webhookEndpoints } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { ownedResource } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { notFound } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { ownerFor } from "@/server/ground/partner";
import { answerOf } from "@/server/ground/records";
import { inReach, ofOwner } from "@/server/ground/scope";
import { versionOf } from "@/server/ground/version";
import { onlyIdInput } from "@/server/ground/wire";
import { reachesWholePartner, requireWholePartner } from "@/server/identity/auth/grant";
import { overlapOf, sealSecret } from "@/server/notify/secrets";
import { auditable, checkAddress, type EndpointRow, lockEndpoint, withoutAddress } from "./endpoint";
import {
  createdWebhook,
  createInput,
  listInput,
  rotateInput,
  type UpdateInput,
  updateInput,
  webhook,
  webhookPage,
} from "./schema";
import { newSigningSecret } from "./sign";

const t = webhookEndpoints;

/** Endpoints visible to a caller: for the whole partner's, a caller who reaches less sees only the host. */
async function shownTo(tx: Tx, ctx: Ctx, rows: readonly EndpointRow[]): Promise<EndpointRow[]> {
  const isWhole = await reachesWholePartner(tx, ctx);
  return rows.map((row) => (isWhole || row.orgId !== null ? row : withoutAddress(row)));
}

/** The webhook endpoints of the caller's organizations, newest first. */
export const listWebhooks = operation({
  permission: "audit:manage",
  input: listInput,
  output: webhookPage,
  run(ctx, input) {
    const where = inReach(t, ctx.scope);
    return tenant(ctx.scope, async (tx) => {
      const query = tx.select().from(t).orderBy(desc(t.createdAt), asc(t.id)).$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      const shown = await shownTo(tx, ctx, rows);
      return { data: shown.map((row) => answerOf(webhook, row)), pagination };
    });
  },
});

/** @throws AppError not_found */
export const getWebhook = operation({
  permission: "audit:manage",
  input: onlyIdInput,
  output: webhook,
  version: versionOf,
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      const rows = await tx
        .select()
        .from(t)
        .where(and(inReach(t, ctx.scope), eq(t.id, id)));
      const [row] = await shownTo(tx, ctx, rows);
      if (!row) throw notFound("webhook");
      return answerOf(webhook, row);
    });
  },
});

/** Limited, because every notification of the owner is posted to each. */
const MAX_PER_OWNER = 50;

/**
 * Adds an address to post notifications to. Only this answer has the signing secret.
 * @throws AppError validation_failed for an address that the operator does not allow, conflict when there are too many,
 * forbidden
 */
export const createWebhook = operation({
  permission: "audit:manage",
  input: createInput,
  output: createdWebhook,
  stepUp: () => true,
  async run(ctx, { name, url, kinds, ...named }) {
    checkAddress(url);
    const owner = await ownerFor(ctx, named);
    const { orgId, partnerId } = owner;
    const id = newId();
    const secret = newSigningSecret();
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      if (!orgId) await requireWholePartner(tx, ctx);
      const bound = { max: MAX_PER_OWNER, owner: orgId ?? partnerId, what: "webhooks" };
      await requireQuota(tx, { table: t, where: ofOwner(t, owner), ...bound });
      const created = await tx
        .insert(t)
        .values({
          ...{ id, ...owner, name, url, kinds },
          secret: sealSecret("webhooks", id, secret),
          createdBy: ctx.actor.type === "user" ? ctx.actor.id : null,
        })
        .returning();
      const row = oneOf(created);
      return { row, about: await ownedResource(tx, "webhook", row) };
    });
    record(ctx, { ...about, action: "webhook.create", details: { after: auditable(row) } });
    return { ...answerOf(webhook, row), secret };
  },
});

/** Enabling resets the failures and skips events since the endpoint was disabled; a new address resets its failures. */
function able(row: EndpointRow, { url = row.url, disabled }: UpdateInput, now: Date): Partial<EndpointRow> {
  if (disabled === undefined || disabled === (row.disabledAt !== null))
    return url === row.url ? {} : { failingSince: null };
  return { disabledAt: disabled ? now : null, disabledByFailure: false, failingSince: null, pendingFrom: null };
}

/**
 * Changes an endpoint's name, address or kinds, disables or enables it.
 * @throws AppError not_found, forbidden, validation_failed for an address that the operator does not allow
 */
export const updateWebhook = operation({
  permission: "audit:manage",
  input: updateInput,
  output: webhook,
  version: versionOf,
  stepUp: ({ url }) => url !== undefined,
  async run(ctx, input) {
    const { id, name, url, kinds } = input;
    if (url !== undefined) checkAddress(url);
    const now = ctx.now();
    const { before, after, about } = await tenant(ctx.scope, async (tx) => {
      const before = await lockEndpoint(tx, ctx, id);
      const changed = await tx
        .update(t)
        .set({ name, url, kinds, ...able(before, input, now), updatedAt: now })
        .where(eq(t.id, id))
        .returning();
      const after = oneOf(changed);
      return { before, after, about: await ownedResource(tx, "webhook", after) };
    });
    const details = { before: auditable(before), after: auditable(after) };
    const isMoved = before.url !== after.url;
    if (isMoved || JSON.stringify(details.before) !== JSON.stringify(details.after))
      record(ctx, {
        ...about,
        action: "webhook.update",
        details: { ...details, urlChanged: isMoved },
      });
    return answerOf(webhook, after);
  },
});

/**
 * Gives an endpoint a new signing secret, which only this answer has. Until the overlap ends messages carry signatures
 * by both secrets.
 * @throws AppError not_found, forbidden
 */
export const rotateWebhook = operation({
  permission: "audit:manage",
  input: rotateInput,
  output: createdWebhook,
  stepUp: () => true,
  async run(ctx, { id, overlapSeconds }) {
    const secret = newSigningSecret();
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockEndpoint(tx, ctx, id);
      const change = {
        secret: sealSecret("webhooks", id, secret),
        ...overlapOf(found, overlapSeconds, ctx.now()),
      };
      await tx.update(t).set(change).where(eq(t.id, id));
      return { row: { ...found, ...change }, about: await ownedResource(tx, "webhook", found) };
    });
    record(ctx, { ...about, action: "webhook.rotate", details: { overlapSeconds } });
    return { ...answerOf(webhook, row), secret };
  },
});

/**
 * Deletes an endpoint with its delivery log.
 * @throws AppError not_found, forbidden
 */
export const removeWebhook = operation({
  permission: "audit:manage",
  input: onlyIdInput,
  output: "empty",
  version: () => null,
  stepUp: () => true,
  async run(ctx, { id }) {
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockEndpoint(tx, ctx, id);
      await tx.delete(t).where(eq(t.id, id));
      return { row: found, about: await ownedResource(tx, "webhook", found) };
    });
    record(ctx, { ...about, action: "webhook.delete", details: { before: auditable(row) } });
  },
});
