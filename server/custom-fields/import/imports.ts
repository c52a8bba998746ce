import { rm } from "node:fs/promises";
import { and, count, eq, isNull } from "drizzle-orm";
import type { z } from "zod";
import { type Tx, tenant } from "@/db/client";
import { paginate } from "@/db/page";
import { customFieldImports } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { retryNow } from "@/server/ground/jobs";
import { requireQuota } from "@/server/ground/limits/quota";
import { type Operation, operation } from "@/server/ground/operation";
import { DAY_MS } from "@/server/ground/time/durations";
import { idInput, noInput, typed } from "@/server/ground/wire";
import { shownColumn } from "./map/mapping";
import { MAX_IMPORT_BYTES, MAX_IMPORT_ROWS } from "./plan-schema";
import { PRESETS, presetOf } from "./presets";
import {
  findImport,
  type ImportRecord,
  importFolder,
  lockImport,
  ownImports,
  partnerScope,
  personOf,
  readImports,
  requireIdle,
  requireWork,
  revisionOf,
  toRecord,
  updateImport,
  workStart,
} from "./record";
import { deleteImport } from "./run/expire-drafts";
import { importWork } from "./run/run-job";
import {
  cancelInput,
  DRAFT_DAYS,
  type ImportEntry,
  type ImportPage,
  type ImportState,
  type ImportStatus,
  importListInput,
  sourceInput,
} from "./schema";

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

function progressOf(row: ImportRecord): ImportState["job"] {
  if (!row.job) return null;
  const startedAt = workStart(row).toISOString();
  return { name: row.job, done: row.jobDone, total: row.totalRows, startedAt, cancelRequested: row.cancelRequested };
}

/** An import for the wizard, without file paths. */
export function toImportState(row: ImportRecord): ImportState {
  const { restoring: _, ...summary } = row.summary;
  return {
    id: row.id,
    source: row.source,
    status: row.status,
    createdByName: row.createdByName,
    createdAt: row.createdAt.toISOString(),
    startedAt: iso(row.startedAt),
    finishedAt: iso(row.finishedAt),
    undoneAt: iso(row.undoneAt),
    files: row.files.map(({ path: _, ...file }) => file),
    columns: row.columns.map((column) => shownColumn(column, row.plan)),
    plan: row.plan,
    summary,
    totalRows: row.totalRows,
    job: progressOf(row),
    error: row.error,
    revision: revisionOf(row),
  };
}

type Change<I extends z.ZodType<{ id: string }>> = Pick<Operation<I>, "input" | "stepUp"> & {
  /** States in which it is possible, unless other work is under way. */
  from: readonly ImportStatus[];
  run: (tx: Tx, ctx: Ctx, given: z.output<I> & { found: ImportRecord }) => Promise<ImportRecord>;
};

/** A verb that changes an import, locked until its end. @throws AppError not_found; conflict in other states. */
export const changing = <I extends z.ZodType<{ id: string }>>({ from, run, ...verb }: Change<I>) =>
  operation({
    ...verb,
    permission: "custom_fields:import",
    output: typed<ImportState>(),
    async run(ctx: Ctx, input: z.output<I>) {
      const row = await tenant(partnerScope(ctx), async (tx) => {
        const found = await lockImport(tx, ctx, input.id);
        requireIdle(found, ...from);
        return run(tx, ctx, { ...input, found });
      });
      return toImportState(row);
    },
  });

/** Imports not yet started: each is kept with its files until discarded or expired. */
const MAX_DRAFTS = 500;
const t = customFieldImports;

/**
 * Creates an import from a source product. Not recorded until it writes anything.
 * @throws AppError conflict while the partner has too many that were not started.
 */
export const createImport = operation({
  permission: "custom_fields:import",
  input: sourceInput,
  output: typed<ImportState>(),
  async run(ctx, { source }) {
    const scope = partnerScope(ctx);
    const person = personOf(ctx);
    const preset = presetOf(source);
    const [row] = await tenant(scope, async (tx) => {
      const where = and(eq(t.partnerId, scope.partnerId), isNull(t.startedAt));
      const bound = { max: MAX_DRAFTS, owner: scope.partnerId, what: "imports that were not started" };
      await requireQuota(tx, { table: t, where, ...bound });
      return tx
        .insert(t)
        .values({
          id: newId(),
          partnerId: scope.partnerId,
          orgIds: [...scope.orgIds],
          createdBy: person.id,
          createdByName: person.name,
          source: preset.id,
        })
        .returning();
    });
    return toImportState(toRecord(row));
  },
});

/** @throws AppError not_found */
export const getImport = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => toImportState(await findImport(tx, ctx, id)));
  },
});

/** Imports in the caller's reach, newest first, without their large columns and mappings. */
export const listImports = operation({
  permission: "custom_fields:import",
  input: importListInput,
  output: typed<ImportPage>(),
  async run(ctx, { page, limit }) {
    const scope = partnerScope(ctx);
    return tenant(scope, async (tx) => {
      const where = ownImports(scope);
      const rows = await readImports(tx, where, { page, limit });
      const [counted] = await tx.select({ total: count() }).from(t).where(where);
      const data = rows.map(({ id, source, status, createdByName, totalRows, ...row }): ImportEntry => {
        const isDraft = row.startedAt === null && row.job === null;
        const expiresAt = isDraft ? new Date(row.updatedAt.getTime() + DRAFT_DAYS * DAY_MS).toISOString() : null;
        const fileNames = row.files.map(({ name }) => name);
        const createdAt = row.createdAt.toISOString();
        return { id, source, status, createdByName, createdAt, totalRows, fileNames, expiresAt };
      });
      return { data, pagination: paginate({ page, limit }, counted?.total ?? 0) };
    });
  },
});

export type SourceList = { sources: { id: string; label: string; hint: string }[]; maxRows: number; maxBytes: number };

/** Source products and limits, shown before the upload. */
export const listSources = operation({
  permission: "custom_fields:import",
  input: noInput,
  output: typed<SourceList>(),
  run: async () => ({
    sources: PRESETS.map(({ id, label, hint }) => ({ id, label, hint })),
    maxRows: MAX_IMPORT_ROWS,
    maxBytes: MAX_IMPORT_BYTES,
  }),
});

/**
 * Asks background work to stop: a run stops after the current rows and can be undone, an undo keeps what it restored
 * and can be started again; other work is dropped. Does nothing if the work has ended.
 * @throws AppError not_found; conflict when the import is doing other work than the caller saw.
 */
export const cancelImport = operation({
  permission: "custom_fields:import",
  input: cancelInput,
  output: typed<ImportState>(),
  async run(ctx, { id, jobStartedAt }) {
    const row = await tenant(ctx.scope, async (tx) => {
      const found = await lockImport(tx, ctx, id);
      if (!found.job) return found;
      requireWork(found, jobStartedAt);
      await retryNow(tx, importWork, id);
      return updateImport(tx, id, { cancelRequested: true });
    });
    if (row.job === "apply" && row.cancelRequested)
      record(ctx, {
        action: "custom_fields.import.cancel",
        orgId: ctx.homeOrgId,
        resourceType: "custom_field_import",
        resourceId: row.id,
        details: { source: row.source, rowsDone: row.jobDone, rows: row.totalRows },
      });
    return toImportState(row);
  },
});

/** Deletes an import that has written nothing. @throws AppError not_found, conflict. */
export const discardImport = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: "empty",
  async run(ctx, { id }) {
    await tenant(ctx.scope, async (tx) => {
      const found = await lockImport(tx, ctx, id);
      if (found.job || found.startedAt)
        throw new AppError("conflict", "An import that has run is kept, so that it can be undone.");
      await deleteImport(tx, id);
    });
    await rm(importFolder(id), { recursive: true, force: true });
  },
});
