import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { asSystem, type Tx, tenant } from "@/db/client";
import { auditExports, organizations } from "@/db/schema";
import type { AuditFilter } from "@/server/audit/query/conditions";
import { type Actor, type Ctx, systemCtx } from "@/server/ground/context";
import { AppError, notFound } from "@/server/ground/errors";
import { homeOrgOf } from "@/server/ground/partner";
import { narrow, reaches } from "@/server/ground/scope";
import { findKeyCaller, findUserCaller } from "@/server/identity/auth/caller";

export type ExportRow = typeof auditExports.$inferSelect;

const t = auditExports;

/** Job kind that writes an export; its key is the id. */
export const EXPORT_JOB = "export";

/** The caller as creator of an export: a person or program. @throws AppError forbidden for any other. */
export function creatorOf({ actor }: Ctx): Extract<Actor, { type: "user" | "api_key" }> {
  if (actor.type !== "user" && actor.type !== "api_key") throw new AppError("forbidden");
  return actor;
}

const isMine = (ctx: Ctx) => {
  const { id, type } = creatorOf(ctx);
  return and(eq(t.createdBy, id), eq(t.createdByType, type));
};

/** True if the caller still reaches everything in an export, which may not be deleted yet. */
const mayHave = (ctx: Ctx, row: ExportRow): boolean => row.orgIds.every((orgId) => reaches(ctx.scope, orgId));

/** The caller's own exports, newest first. */
export async function myExports(ctx: Ctx): Promise<ExportRow[]> {
  const rows = await tenant(ctx.scope, (tx) =>
    tx.select().from(t).where(isMine(ctx)).orderBy(desc(t.createdAt), desc(t.id)),
  );
  return rows.filter((row) => mayHave(ctx, row) && row.expiresAt > ctx.now());
}

/** One of the caller's own exports. @throws AppError not_found for another user's, and for an expired one. */
export async function myExport(ctx: Ctx, id: string): Promise<ExportRow> {
  const [row] = await tenant(ctx.scope, (tx: Tx) =>
    tx
      .select()
      .from(t)
      .where(and(eq(t.id, id), isMine(ctx))),
  );
  if (!row || !mayHave(ctx, row) || row.expiresAt <= ctx.now()) throw notFound("export");
  return row;
}

const instantOf = (value: unknown): Date | undefined => (typeof value === "string" ? new Date(value) : undefined);

export function filterOf({ filter: { from, to, ...filter } }: Pick<ExportRow, "filter">): AuditFilter {
  return { ...filter, from: instantOf(from), to: instantOf(to) };
}

/**
 * Current context of an export's requester, limited to its organizations; null if gone, disabled or revoked, no longer
 * allowed to export, or without access to one of them.
 */
export async function creatorNow(row: ExportRow): Promise<Ctx | null> {
  const caller = await (row.createdByType === "user" ? findUserCaller(row.createdBy) : findKeyCaller(row.createdBy));
  if (!caller?.permissions.has("audit:export") || caller.mustEnroll) return null;
  if (!row.orgIds.every((orgId) => reaches(caller.scope, orgId))) return null;
  return narrow({ ...systemCtx(), ...caller, ip: row.ipAddress, userAgent: row.userAgent }, row.orgIds);
}

/** Organizations that record an export, and whether their readers may see the filters. */
export type RecordedWith = { orgIds: readonly string[]; hasFilters: boolean };

/**
 * Where to record an export without entries: in its organization; for several, in the requester's own, because each
 * must not learn about the others. The platform's operator has none: then with the staff of each partner, without
 * filters, which may name people of another.
 */
export async function recordedWith({ orgIds, orgId, partnerId }: ExportRow): Promise<RecordedWith> {
  if (orgIds.length === 1) return { orgIds, hasFilters: true };
  if (orgId === null && partnerId === null) return { orgIds: await staffOf(orgIds), hasFilters: false };
  const home = orgId ?? (await homeOrgOf(partnerId));
  return { orgIds: home ? [home] : [], hasFilters: true };
}

/** Home organizations of the partners of some organizations. */
async function staffOf(orgIds: readonly string[]): Promise<string[]> {
  const { id, partnerId, isHome } = organizations;
  const rows = await asSystem((tx) => {
    const partners = tx
      .select({ partnerId })
      .from(organizations)
      .where(sql`${id} = ANY (${uuids(orgIds)})`);
    return tx
      .select({ id })
      .from(organizations)
      .where(and(eq(isHome, true), inArray(partnerId, partners)));
  });
  return rows.map((row) => row.id);
}
