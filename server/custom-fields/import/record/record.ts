import type { customFieldImports } from "@/db/schema";
import type { Misfit, Plan, SourceColumn } from "@/server/custom-fields/import/plan-schema";
import type { ImportFile, ImportStatus, ImportSummary, Job } from "@/server/custom-fields/import/schema";
import { notFound } from "@/server/ground/errors";

type Row = typeof customFieldImports.$inferSelect;
export type ImportRecord = Omit<Row, "files" | "columns" | "plan" | "summary" | "status" | "job"> & {
  files: StoredFile[];
  columns: SourceColumn[];
  plan: Plan | null;
  summary: ImportSummary;
  status: ImportStatus;
  job: Job | null;
};
const NO_MISFIT: Misfit = { count: 0, odd: [] };
/** What a column lacks that an earlier version read. */
const NOT_READ = {
  secret: null,
  misfits: { text: NO_MISFIT, number: NO_MISFIT, boolean: NO_MISFIT, mdy: NO_MISFIT, dmy: NO_MISFIT },
};
/** A column with what an earlier version did not store; that held dates of years first to the reading of months first. */
function completedColumn(column: SourceColumn): SourceColumn {
  const known = { ...NOT_READ, ...column };
  const { mdy, ymd = mdy } = known.misfits;
  return { ...known, misfits: { ...known.misfits, ymd } };
}

/** A plan with what an earlier version did not store. */
const completed = (plan: Plan): Plan => ({
  ...plan,
  fields: plan.fields.map((field) => ({ ...field, decisions: field.decisions ?? [] })),
});

/** Casts a row: its JSON columns hold what this room wrote, and are not parsed again. */
const asRecord = (row: Row): ImportRecord => row as ImportRecord;

/**
 * A row of the table with what an earlier version did not store.
 * @throws AppError not_found where there is no row
 */
export function toRecord(row: Row | undefined): ImportRecord {
  if (!row) throw notFound("import");
  const found = asRecord(row);
  const columns = found.columns.map(completedColumn);
  return { ...found, columns, plan: found.plan && completed(found.plan) };
}
type Listed = Pick<
  ImportRecord,
  "id" | "source" | "status" | "createdByName" | "createdAt" | "totalRows" | "files" | "updatedAt" | "startedAt" | "job"
>;
/** Casts the columns that a list of imports reads. */
export const listed = (rows: readonly Pick<Row, keyof Listed>[]): Listed[] => rows as Listed[];
/** A file of an import as the database holds it; its bytes are stored in the data folder under `path`. */
export type StoredFile = ImportFile & { path: string };

/** What an import holds before its files are read, or once they have changed. */
export const unread = { status: "draft", columns: [], plan: null, totalRows: 0, error: null };

/** The names of an import's files, as its audit entries show them. */
export const fileNames = (found: ImportRecord): string =>
  found.files
    .map((file) => file.name)
    .join(", ")
    .slice(0, 255);
