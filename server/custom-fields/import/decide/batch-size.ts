import type { ImportRecord } from "@/server/custom-fields/import/record";

/** Cells and bytes of the files held at once while rows are worked through: memory does not grow with what a file has. */
const CELLS_AT_ONCE = 20_000;
const BYTES_AT_ONCE = 4 * 1024 * 1024;
const MIN_ROWS_AT_ONCE = 100;
const MAX_ROWS_AT_ONCE = 10_000;

/** Rows of one round of work on an import: few statements for many rows, and some megabytes in memory. */
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
 * Rows of one transaction of a run or an undo: a kill repeats at most these, a cancel waits for at most these. A small
 * import goes in smaller steps, so that its progress is seen.
 */
export const rowsPerTransaction = (found: { totalRows: number; rowsAtOnce: number }): number =>
  Math.min(found.rowsAtOnce, Math.max(1_000, Math.ceil(found.totalRows / 10)));
