import { and, desc, eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { auditExports } from "@/db/schema";
import type { AuditFilter } from "@/server/audit/query/conditions";
import type { Actor, Ctx } from "@/server/ground/context";
import { AppError, notFound } from "@/server/ground/errors";
import { reaches } from "@/server/ground/scope";

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
