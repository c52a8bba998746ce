import { and, asc, desc, eq, inArray, isNotNull, isNull } from "drizzle-orm";
import { asSystem, type Tx, tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { oneOf } from "@/db/rows";
import { apiKeys, users } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { ownedResource } from "@/server/audit/resource-of";
import { callersChanged } from "@/server/ground/background/streams";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { ownerFor } from "@/server/ground/partner";
import { isPermission } from "@/server/ground/permissions";
import { fromKeys, isoTimes } from "@/server/ground/records";
import { inReach, ofOwner } from "@/server/ground/scope";
import { newSecret } from "@/server/ground/secrets";
import { requireMatch } from "@/server/ground/version";
import { onlyIdInput } from "@/server/ground/wire";
import { requireMayGrant, requireWholePartner } from "@/server/identity/auth/grant";
import {
  type ApiKey,
  apiKey,
  apiKeyPage,
  createdApiKey,
  createInput,
  listInput,
  rotateInput,
  updateInput,
} from "./schema";

export type Row = typeof apiKeys.$inferSelect;

/**
 * A key that the caller administers, locked for a change.
 * @throws AppError not_found, forbidden for a partner-wide key and a caller who reaches less.
 */
async function lockKey(tx: Tx, ctx: Ctx, id: string): Promise<Row> {
  const where = and(inReach(apiKeys, ctx.scope), eq(apiKeys.id, id));
  const [found] = await tx.select().from(apiKeys).where(where).for("update");
  if (!found) throw notFound("API key");
  if (!found.orgId) await requireWholePartner(tx, ctx);
  requireMatch(ctx, settingsOf(found));
  return found;
}

type Settings = Pick<Row | ApiKey, "id" | "name" | "prefix" | "permissions" | "expiresAt" | "revokedAt">;
/** Settings of a key that only a person may change. */
const settingsOf = ({ id, name, prefix, permissions, expiresAt, revokedAt }: Settings) => ({
  ...{ id, name, prefix, permissions, expiresAt, revokedAt },
});

/** A key to be changed. @throws AppError as lockKey does, conflict for a key that was revoked */
async function lockUsableKey(tx: Tx, ctx: Ctx, id: string): Promise<Row> {
  const found = await lockKey(tx, ctx, id);
  if (found.revokedAt) throw new AppError("conflict", "This key is revoked. Create another one.");
  return found;
}

/** Disabled creators of keys. An organization does not see its partner's staff, but may know this. */
async function disabledCreators(rows: readonly Row[]): Promise<Set<string>> {
  const ids = [...new Set(rows.flatMap((row) => row.createdBy ?? []))];
  if (ids.length === 0) return new Set();
  const found = await asSystem((tx) =>
    tx
      .select({ id: users.id })
      .from(users)
      .where(and(inArray(users.id, ids), isNotNull(users.disabledAt))),
  );
  return new Set(found.map(({ id }) => id));
}

/** Keys for output, without their hashes. */
async function toApiKeys(rows: readonly Row[]): Promise<ApiKey[]> {
  const disabled = await disabledCreators(rows);
  return rows.map(({ keyHash: _, formerHash: __, ...row }) => ({
    ...isoTimes(row),
    isCreatorDisabled: row.createdBy !== null && disabled.has(row.createdBy),
  }));
}

const toApiKey = async (row: Row): Promise<ApiKey> => oneOf(await toApiKeys([row]));

/** API keys that the caller administers, newest first, including revoked ones. */
export const listApiKeys = operation({
  permission: "api_keys:manage",
  input: listInput,
  output: apiKeyPage,
  run(ctx, input) {
    const where = inReach(apiKeys, ctx.scope);
    return tenant(ctx.scope, async (tx) => {
      const query = tx.select().from(apiKeys).orderBy(desc(apiKeys.createdAt), asc(apiKeys.id)).$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: apiKeys, query, where });
      return { data: await toApiKeys(rows), pagination };
    });
  },
});

/** @throws AppError not_found */
export const getApiKey = operation({
  permission: "api_keys:manage",
  input: onlyIdInput,
  output: apiKey,
  version: settingsOf,
  async run(ctx, { id }) {
    const where = and(inReach(apiKeys, ctx.scope), eq(apiKeys.id, id));
    const [row] = await tenant(ctx.scope, (tx) => tx.select().from(apiKeys).where(where));
    if (!row) throw notFound("API key");
    return toApiKey(row);
  },
});

/** Counts keys that are not revoked. */
const MAX_PER_OWNER = 1_000;
const t = apiKeys;

/**
 * Creates an API key with permissions and reach within its creator's. Only this answer has the key.
 * @throws AppError forbidden, conflict when there are too many, validation_failed when it would be expired at once.
 */
export const createApiKey = operation({
  permission: "api_keys:manage",
  input: createInput,
  output: createdApiKey,
  stepUp: () => true,
  async run(ctx, input) {
    requireMayGrant(ctx, input.permissions);
    if (input.expiresAt && input.expiresAt <= ctx.now()) throw invalid("expiresAt", "is in the past");
    const owner = await ownerFor(ctx, input);
    const { orgId, partnerId } = owner;
    const { secret, shown, hash } = newSecret("apiKey");
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      if (!orgId) await requireWholePartner(tx, ctx);
      const bound = { max: MAX_PER_OWNER, owner: orgId ?? partnerId, what: "API keys" };
      await requireQuota(tx, { table: t, where: and(ofOwner(t, owner), isNull(t.revokedAt)), ...bound });
      const inserted = await tx
        .insert(apiKeys)
        .values({
          id: newId(),
          ...owner,
          name: input.name,
          prefix: shown,
          keyHash: hash,
          permissions: input.permissions,
          expiresAt: input.expiresAt ?? null,
          createdBy: ctx.actor.type === "user" ? ctx.actor.id : null,
        })
        .returning();
      const row = oneOf(inserted);
      return { row, about: await ownedResource(tx, "api_key", row) };
    });
    const expiresAt = row.expiresAt?.toISOString() ?? null;
    record(ctx, {
      ...about,
      action: "api_key.create",
      details: { after: { prefix: shown, orgId, permissions: row.permissions, expiresAt } },
    });
    return { ...(await toApiKey(row)), key: secret };
  },
});

type Change = Pick<Row, "name" | "permissions" | "expiresAt">;

/** Changed members only, before and after. */
function differences(before: Change, after: Change) {
  const names = (["name", "permissions", "expiresAt"] as const).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const of = (values: Change) => fromKeys(names, (name) => values[name]);
  return names.length === 0 ? null : { before: of(before), after: of(after) };
}

/**
 * Changes a key's name, permissions or expiry, effective with its next request. The resulting rights must be within
 * what the caller may grant.
 * @throws AppError not_found, forbidden, conflict for a revoked key, validation_failed for an expiry in the past.
 */
export const updateApiKey = operation({
  permission: "api_keys:manage",
  stepUp: ({ permissions, expiresAt }) => permissions !== undefined || expiresAt !== undefined,
  input: updateInput,
  output: apiKey,
  version: settingsOf,
  async run(ctx, { id, name, permissions, expiresAt }) {
    if (expiresAt && expiresAt <= ctx.now()) throw invalid("expiresAt", "is in the past");
    const { before, after, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockUsableKey(tx, ctx, id);
      const change: Change = {
        name: name ?? found.name,
        permissions: permissions ?? found.permissions,
        expiresAt: expiresAt === undefined ? found.expiresAt : expiresAt,
      };
      const changed = { ...found, ...change };
      requireMayGrant(ctx, changed.permissions.filter(isPermission));
      await tx.update(apiKeys).set(change).where(eq(apiKeys.id, id));
      return { before: found, after: changed, about: await ownedResource(tx, "api_key", changed) };
    });
    callersChanged();
    const details = differences(before, after);
    if (details) record(ctx, { ...about, action: "api_key.update", details });
    return toApiKey(after);
  },
});

/**
 * Gives a key a new secret, which only this answer contains. The previous secret works until the overlap ends; any
 * older one stops at once. The caller then has the key, so its rights must be within those that the caller may grant.
 * @throws AppError not_found, forbidden, conflict for a revoked key.
 */
export const rotateApiKey = operation({
  permission: "api_keys:manage",
  input: rotateInput,
  output: createdApiKey,
  stepUp: () => true,
  async run(ctx, { id, overlapSeconds }) {
    const { secret, shown, hash } = newSecret("apiKey");
    const { before, after, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockUsableKey(tx, ctx, id);
      requireMayGrant(ctx, found.permissions.filter(isPermission));
      const formerUntil = overlapSeconds > 0 ? new Date(ctx.now().getTime() + overlapSeconds * 1000) : null;
      const change = { prefix: shown, keyHash: hash, formerHash: formerUntil && found.keyHash, formerUntil };
      await tx.update(apiKeys).set(change).where(eq(apiKeys.id, id));
      return { before: found, after: { ...found, ...change }, about: await ownedResource(tx, "api_key", found) };
    });
    callersChanged();
    record(ctx, {
      ...about,
      action: "api_key.rotate",
      details: { before: { prefix: before.prefix }, after: { prefix: after.prefix }, overlapSeconds },
    });
    return { ...(await toApiKey(after)), key: secret };
  },
});

/**
 * Revokes an API key for good, effective with its next request; a revoked one stays as is.
 * @throws AppError not_found, forbidden for a partner-wide key and a caller who reaches less.
 */
export const revokeApiKey = operation({
  permission: "api_keys:manage",
  input: onlyIdInput,
  output: "empty",
  version: () => null,
  stepUp: () => true,
  async run(ctx, { id }) {
    const revokedAt = ctx.now();
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockKey(tx, ctx, id);
      if (!found.revokedAt) await tx.update(apiKeys).set({ revokedAt }).where(eq(apiKeys.id, id));
      return { row: found, about: await ownedResource(tx, "api_key", found) };
    });
    if (row.revokedAt) return;
    callersChanged();
    record(ctx, {
      ...about,
      action: "api_key.revoke",
      details: { before: { revokedAt: null }, after: { revokedAt: revokedAt.toISOString() }, prefix: row.prefix },
    });
  },
});
