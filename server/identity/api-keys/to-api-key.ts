import { and, eq, inArray, isNotNull } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { oneOf } from "@/db/rows";
import { apiKeys, users } from "@/db/schema";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { AppError, notFound } from "@/server/ground/errors";
import { homeOrgIn } from "@/server/ground/partner";
import { isPermission, type Permission } from "@/server/ground/permissions";
import { inReach } from "@/server/ground/scope";
import { requireWholePartner } from "@/server/identity/auth/grant";
import type { ApiKey } from "./schema";

export type Row = typeof apiKeys.$inferSelect;

/**
 * A key that the caller administers, locked for a change.
 * @throws AppError not_found, forbidden for a partner-wide key and a caller who reaches less.
 */
export async function lockKey(tx: Tx, ctx: Ctx, id: string): Promise<Row> {
  const where = and(inReach(apiKeys, ctx.scope), eq(apiKeys.id, id));
  const [found] = await tx.select().from(apiKeys).where(where).for("update");
  if (!found) throw notFound("API key");
  if (!found.orgId) await requireWholePartner(tx, ctx);
  return found;
}

/** @throws AppError conflict for a key that was revoked */
export function requireNotRevoked({ revokedAt }: Row): void {
  if (revokedAt) throw new AppError("conflict", "This key is revoked. Create another one.");
}

export const permissionsOf = ({ permissions }: Row): Permission[] => permissions.filter(isPermission);

/** What an audit row says of the key that it is about; who administers a partner's key reaches its home too. */
export const aboutKey = async (tx: Tx, row: Row) => ({
  orgId: row.orgId ?? (await homeOrgIn(tx, row.partnerId)),
  ...resourceOf("api_key", row),
});

/** Those of the keys' creators who are disabled. An organization does not see its partner's staff, but may know this. */
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

/** Keys as they leave the server: never a hash. */
export async function toApiKeys(rows: readonly Row[]): Promise<ApiKey[]> {
  const disabled = await disabledCreators(rows);
  return rows.map(({ keyHash: _, formerHash: __, ...row }) => ({
    ...row,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    formerUntil: row.formerUntil?.toISOString() ?? null,
    isCreatorDisabled: row.createdBy !== null && disabled.has(row.createdBy),
    createdAt: row.createdAt.toISOString(),
  }));
}

export const toApiKey = async (row: Row): Promise<ApiKey> => oneOf(await toApiKeys([row]));
