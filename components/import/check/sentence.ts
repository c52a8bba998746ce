import { count, counted } from "@/components/format/amounts";
import type { ImportRow } from "@/server/custom-fields/import/outcome-schema";
import {
  MATCHED_OUTCOMES,
  type Tally,
  VALUE_OUTCOMES,
  type ValueOutcome,
} from "@/server/custom-fields/import/outcome-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { fromKeys } from "@/server/ground/records";

/** Number of values per outcome over all fields. */
export const sumOf = ({ fields }: Pick<Tally, "fields">): Record<ValueOutcome, number> =>
  fromKeys(VALUE_OUTCOMES, (name) => fields.reduce((sum, field) => sum + field[name], 0));

/** Number of values that a check or run writes. */
export function writesOf(tally: Pick<Tally, "fields">): number {
  const { set, overwrite, clear } = sumOf(tally);
  return set + overwrite + clear;
}

/** Rows not reached by a run: all others are counted by outcome. */
export const notReachedOf = ({ rows }: Pick<Tally, "rows">, totalRows: number): number =>
  Math.max(0, totalRows - Object.values(rows).reduce((sum, n) => sum + n, 0));

/** Result of a check or run in up to three sentences. */
export function sentenceOf(
  { startedAt, totalRows, job }: Pick<ImportState, "startedAt" | "totalRows" | "job">,
  tally: Tally,
): string {
  const matched = MATCHED_OUTCOMES.reduce((sum, name) => sum + tally.rows[name], 0);
  const writes = writesOf(tally);
  const left = startedAt ? notReachedOf(tally, totalRows) : 0;
  const rows = counted(totalRows - left, "row");
  const of = left > 0 ? `the ${rows} that ${totalRows - left === 1 ? "was" : "were"} reached` : rows;
  const found = `${count(matched)} of ${of} ${matched === 1 ? "matches" : "match"} exactly one device.`;
  if (!startedAt)
    return writes === 0
      ? `${found} Everything is already up to date.`
      : `${found} ${counted(writes, "value", "values")} would be written. Nothing is written yet.`;
  const written = `${found} ${counted(writes, "value was", "values were")} written.`;
  return left === 0 ? written : `${written} ${counted(left, "row was", "rows were")} not reached${job ? " yet" : ""}.`;
}

/** The outcome of a value that a row would write. */
export function newValueText(
  outcome: ValueOutcome,
  { applied, isUndone }: Pick<ImportRow, "applied"> & { isUndone: boolean },
): string {
  if (outcome === "kept") return "left alone";
  if (applied === null) return "would be written";
  if (!applied) return "not written";
  return isUndone ? "written before the undo" : "written";
}
