import { join } from "node:path";
import { and, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { customFieldImports } from "@/db/schema/index";
import type { Ctx } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import type { Plan, SourceColumn } from "./plan-schema";
import type { ImportFile, ImportStatus, ImportSummary, Job } from "./schema";

type Row = typeof customFieldImports.$inferSelect;
export type ImportRecord = Omit<Row, "files" | "columns" | "plan" | "summary" | "status" | "job"> & {
  files: StoredFile[];
  columns: SourceColumn[];
  plan: Plan | null;
  summary: ImportSummary;
  status: ImportStatus;
  job: Job | null;
};

/**
 * Casts a row: this folder wrote its JSON columns, so they are not parsed again.
 * @throws AppError not_found where there is no row
 */
export function toRecord(row: Row | undefined): ImportRecord {
  if (!row) throw notFound("import");
  return row as ImportRecord;
}

const { columns: _, plan: __, summary: ___, ...SMALL } = getTableColumns(customFieldImports);

/** A page of imports, newest first, without their large columns and mappings. */
export const readImports = (tx: Tx, where: SQL, { page, limit }: { page: number; limit: number }) =>
  tx
    .select(SMALL)
    .from(customFieldImports)
    .where(where)
    .orderBy(desc(customFieldImports.createdAt), desc(customFieldImports.id))
    .limit(limit)
    .offset((page - 1) * limit) as Promise<Omit<ImportRecord, "columns" | "plan" | "summary">[]>;

/** A file of an import in the database; its bytes are in the data folder under `path`. */
export type StoredFile = ImportFile & { path: string };

/** State of an import before its files are read, or after they change. */
export const unread = { status: "draft", columns: [], plan: null, totalRows: 0, error: null };

/** Names of an import's files for audit entries. */
export const fileNames = (found: ImportRecord): string =>
  found.files
    .map((file) => file.name)
    .join(", ")
    .slice(0, 255);

export type PartnerScope = Extract<Ctx["scope"], { kind: "partner" }> & { partnerId: string };

const isPartnerScope = (scope: Ctx["scope"]): scope is PartnerScope =>
  scope.kind === "partner" && scope.partnerId !== null;

/** @throws AppError forbidden for callers without a partner, which owns the import. */
export function partnerScope(ctx: Ctx): PartnerScope {
  if (!isPartnerScope(ctx.scope))
    throw new AppError("forbidden", "Only a partner's own staff can import custom fields.");
  return ctx.scope;
}

/** @throws AppError forbidden: an import needs a person, whose access is checked again while it runs. */
export function personOf(ctx: Ctx): { id: string; name: string } {
  if (ctx.actor.type !== "user") throw new AppError("forbidden", "Only a person can import custom fields.");
  return { id: ctx.actor.id, name: ctx.actor.name };
}

/** Imports of the caller's partner without organizations outside the caller's reach. */
export function ownImports(scope: PartnerScope): SQL {
  const i = customFieldImports;
  return sql`${i.partnerId} = ${scope.partnerId}::uuid AND ${i.orgIds} <@ ${uuids(scope.orgIds)}`;
}

const selectImport = (tx: Tx, ctx: Ctx, id: string) =>
  tx
    .select()
    .from(customFieldImports)
    .where(and(ownImports(partnerScope(ctx)), eq(customFieldImports.id, id)));

/** @throws AppError not_found for a missing import or one outside the caller's reach. */
export const findImport = async (tx: Tx, ctx: Ctx, id: string): Promise<ImportRecord> =>
  toRecord((await selectImport(tx, ctx, id))[0]);

/** Finds an import and locks it until the transaction ends. @throws AppError not_found. */
export const lockImport = async (tx: Tx, ctx: Ctx, id: string): Promise<ImportRecord> =>
  toRecord((await selectImport(tx, ctx, id).for("update"))[0]);

/** Changes an import, found before in the same transaction. */
export async function updateImport(
  tx: Tx,
  id: string,
  values: Partial<typeof customFieldImports.$inferInsert>,
): Promise<ImportRecord> {
  const [row] = await tx.update(customFieldImports).set(values).where(eq(customFieldImports.id, id)).returning();
  return toRecord(row);
}

const IN_WORDS: Record<ImportStatus, string> = {
  draft: "whose files have not been read",
  staged: "that has not been checked",
  checked: "that has not been run",
  running: "that is running",
  done: "that has run",
  cancelled: "that was cancelled",
  undone: "that was undone",
};

/** @throws AppError conflict while background work is running, or in a status that does not allow the step. */
export function requireIdle(found: ImportRecord, ...statuses: ImportStatus[]): void {
  if (found.job) throw new AppError("conflict", "The import is busy; wait until it has finished.");
  if (!statuses.includes(found.status))
    throw new AppError("conflict", `This cannot be done with an import ${IN_WORDS[found.status]}.`);
}

/** Changes with every modification by any person. */
export const revisionOf = (row: ImportRecord): string => row.updatedAt.toISOString();

/** @throws AppError conflict if the import changed since the caller saw it. */
export function requireRevision(found: ImportRecord, revision: string | undefined, advice: string): void {
  if (revision !== undefined && revision !== revisionOf(found))
    throw new AppError("conflict", `Somebody has changed this import, perhaps in another window. ${advice}`);
}

/** Start of the current work. */
export const workStart = ({ jobStartedAt, updatedAt }: ImportRecord): Date => jobStartedAt ?? updatedAt;

/** @throws AppError conflict if the current work is not the one the caller saw, by its start. */
export function requireWork(found: ImportRecord, seen: Date | undefined): void {
  if (seen && seen.getTime() !== workStart(found).getTime())
    throw new AppError("conflict", "Somebody has started other work on this import. Look at it before you cancel it.");
}

/** @throws AppError validation_failed for a missing or incomplete file. */
export function completeFile(found: ImportRecord, fileNo: number): StoredFile {
  const file = found.files[fileNo];
  if (!file) throw invalid("fileNo", "there is no such file");
  if (!file.complete) throw invalid("fileNo", "the file has not arrived completely");
  return file;
}

/** Folder of an import's files until it has run or is discarded. */
export const importFolder = (id: string): string => join(env().TRAILMARK_DATA_DIR, "imports", id);
