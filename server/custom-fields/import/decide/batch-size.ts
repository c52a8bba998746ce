import type { ImportRecord } from "@/server/custom-fields/import/record";

/** Cells and bytes of files in memory at once, so that memory does not grow with the file. */
const CELLS_AT_ONCE = 20_000;
const BYTES_AT_ONCE = 4 * 1024 * 1024;
const MIN_ROWS_AT_ONCE = 100;
const MAX_ROWS_AT_ONCE = 10_000;

/** Rows per round of work on an import: few statements, some megabytes of memory. */
export function rowsAtOnce({
  columns,
  files,
  totalRows,
}: Pick<ImportRecord, "columns" | "files" | "totalRows">): number {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const byCells = CELLS_AT_ONCE / Math.max(1, columns.length);
  const byBytes = (BYTES_AT_ONCE * totalRows) / Math.max(1, bytes);
  return Math.min(MAX_ROWS_AT_ONCE, Math.max(MIN_ROWS_AT_ONCE, Math.floor(Math.min(byCells, byBytes))));
}

/**
 * Rows per transaction of a run or undo: a kill repeats at most these, and a cancel waits at most for these. Small
 * imports take smaller steps to show progress.
 */
export const rowsPerTransaction = (found: { totalRows: number; rowsAtOnce: number }): number =>
  Math.min(found.rowsAtOnce, Math.max(1_000, Math.ceil(found.totalRows / 10)));
