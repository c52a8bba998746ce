import {
  type FieldCounts,
  outcomeOfCode,
  ROW_OUTCOMES,
  type RowOutcome,
  type Tally,
  VALUE_OUTCOMES,
} from "@/server/custom-fields/import/schema";

const zeros = <K extends string>(keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;

/** Nothing counted yet. */
export const emptyTally = (fields: readonly { fieldId: string }[]): Tally => ({
  rows: zeros(ROW_OUTCOMES),
  fields: fields.map(({ fieldId }): FieldCounts => ({ fieldId, ...zeros(VALUE_OUTCOMES) })),
});

/** Adds a row to the counts (or, with -1, takes it out again). */
export function count(tally: Tally, row: { outcome: RowOutcome; codes: string }, by: 1 | -1 = 1): void {
  tally.rows[row.outcome] += by;
  tally.fields.forEach((field, i) => {
    const code = row.codes[i];
    if (code) field[outcomeOfCode(code)] += by;
  });
}
