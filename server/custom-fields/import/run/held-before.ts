import type { Tx } from "@/db/client";
import { loadValues } from "@/server/custom-fields/import/decide/load-devices";
import type { LoadedPlan } from "@/server/custom-fields/import/decide/load-plan";
import type { FieldValue } from "@/server/custom-fields/schema";
import { readWritten } from "./tables/changes";
import type { ResultRow } from "./tables/results";

/** Value of the plan's i-th field on a row's device before this import. */
export type HeldBefore = (row: ResultRow, i: number) => FieldValue | null;

/**
 * Values of some rows' devices before this import: the previous value where it wrote one, else the current one. Null
 * without a device or value.
 */
export async function loadHeldBefore(tx: Tx, plan: LoadedPlan, rows: readonly ResultRow[]): Promise<HeldBefore> {
  const deviceIds = new Set(rows.flatMap((row) => row.deviceId ?? row.pickedDeviceId ?? []));
  const now = await loadValues(tx, plan, { deviceIds: [...deviceIds], lock: false });
  const written = await readWritten(
    tx,
    plan.importId,
    rows.map(({ rowNo }) => rowNo),
  );
  return (row, i) => {
    const fieldId = plan.fields[i]?.fieldId ?? "";
    const change = written.get(row.rowNo);
    if (change && fieldId in change.written) return change.previous[fieldId] ?? null;
    return now.get(row.deviceId ?? row.pickedDeviceId ?? "")?.[i] ?? null;
  };
}
