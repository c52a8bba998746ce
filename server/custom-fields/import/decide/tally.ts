import {
  type CheckReport,
  type FieldCounts,
  hasWrite,
  MATCHED_OUTCOMES,
  outcomeOfCode,
  ROW_OUTCOMES,
  type RowOutcome,
  type Tally,
  VALUE_OUTCOMES,
} from "@/server/custom-fields/import/outcome-schema";
import { fromKeys } from "@/server/ground/records";

const zeros = <K extends string>(keys: readonly K[]) => fromKeys(keys, () => 0);

/** Nothing counted yet. */
export const emptyTally = (fields: readonly { fieldId: string }[]): CheckReport => ({
  rows: zeros(ROW_OUTCOMES),
  fields: fields.map(({ fieldId }): FieldCounts => ({ fieldId, ...zeros(VALUE_OUTCOMES) })),
  writes: { devices: 0, sourceIds: 0, picked: 0 },
});

type Counted = {
  outcome: RowOutcome;
  codes: string;
  sourceId?: string | null;
  deviceId?: string | null;
  pickedDeviceId?: string | null;
};

/** A row writes to its matched or picked device, and records its source ID unless the device was found by it. */
function countWrites(writes: CheckReport["writes"], row: Counted, by: number): void {
  const isPicked = row.outcome === "ambiguous" && Boolean(row.pickedDeviceId);
  if (!isPicked && !MATCHED_OUTCOMES.includes(row.outcome)) return;
  if (isPicked) writes.picked += by;
  if (hasWrite(row.codes)) writes.devices += by;
  if (row.sourceId && row.outcome !== "matched_source_id") writes.sourceIds += by;
}

/** Adds rows of one kind to the counts (-1 removes one). */
export function count(tally: Tally & Partial<CheckReport>, row: Counted, by = 1): void {
  tally.rows[row.outcome] += by;
  if (tally.writes) countWrites(tally.writes, row, by);
  tally.fields.forEach((field, i) => {
    const code = row.codes[i];
    if (!code) return;
    field[outcomeOfCode(code)] += by;
  });
}
