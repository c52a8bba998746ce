import { shownColumn } from "./map/secret-columns";
import type { ImportRecord } from "./record/record";
import { revisionOf, workStart } from "./record/require";
import type { ImportState } from "./schema";

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

function progressOf(row: ImportRecord): ImportState["job"] {
  if (!row.job) return null;
  const startedAt = workStart(row).toISOString();
  return { name: row.job, done: row.jobDone, total: row.totalRows, startedAt, cancelRequested: row.cancelRequested };
}

/** An import as the wizard sees it, without where its files are stored. */
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
