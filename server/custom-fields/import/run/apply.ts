import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsPerTransaction } from "@/server/custom-fields/import/decide/batch-size";
import { isWrite } from "@/server/custom-fields/import/decide/decide-value";
import type { LoadedPlan } from "@/server/custom-fields/import/decide/load-plan";
import { count } from "@/server/custom-fields/import/decide/tally";
import { hasWrite, MATCHED_OUTCOMES, type RunReport } from "@/server/custom-fields/import/outcome-schema";
import { type EvaluatedRow, evaluateRows, type PickedRow } from "./check";
import { type Change, insertChanges, type Values } from "./tables/changes";
import { countIdle, findWork, markOutcomes, type ResolvedResult, readWork } from "./tables/results";
import { insertSourceIds } from "./tables/source-ids";
import { inRange, type Range, readStaged } from "./tables/staged";

/** New values of one device; null removes one. isNew: the device had no values when read. */
export type ValuePatch = { deviceId: string; orgId: string; patch: Values; isNew: boolean };

const recordset = (patches: readonly ValuePatch[]) => sql`
  jsonb_to_recordset(${JSON.stringify(patches)}::text::jsonb) AS p("deviceId" uuid, "orgId" uuid, patch jsonb)`;

/**
 * Writes values of many devices in two statements (upserts, which always use the key's index). Merges into devices read
 * under a lock; for a device without a row to lock, a value stored concurrently by another writer wins.
 */
export async function writeValues(tx: Tx, patches: readonly ValuePatch[]): Promise<void> {
  const known = patches.filter(({ isNew }) => !isNew);
  const fresh = patches.filter(({ isNew }) => isNew);
  if (known.length > 0)
    await tx.execute(sql`
      INSERT INTO custom_field_values AS v (device_id, org_id, "values")
      SELECT p."deviceId", p."orgId", p.patch FROM ${recordset(known)}
      ON CONFLICT (device_id) DO UPDATE SET "values" = jsonb_strip_nulls(v."values" || excluded."values"), updated_at = now()`);
  if (fresh.length > 0)
    await tx.execute(sql`
      INSERT INTO custom_field_values AS v (device_id, org_id, "values")
      SELECT p."deviceId", p."orgId", p.patch FROM ${recordset(fresh)} ORDER BY p."deviceId"
      ON CONFLICT (device_id) DO UPDATE SET "values" = excluded."values" || v."values", updated_at = now()`);
}

/** True if the device is still the one found by the check, or picked. */
function isUnchanged(row: EvaluatedRow, checked: ResolvedResult | undefined): boolean {
  if (!checked || !row.device) return false;
  if (MATCHED_OUTCOMES.includes(checked.outcome))
    return MATCHED_OUTCOMES.includes(row.outcome) && row.device.id === checked.deviceId;
  return checked.outcome === "ambiguous" && row.outcome === "ambiguous" && row.device.id === checked.pickedDeviceId;
}

/**
 * Records the source IDs of rows found by other identifiers.
 * @returns rows whose ID was recorded, and rows whose ID belongs to another device.
 */
async function recordSourceIds(
  tx: Tx,
  plan: LoadedPlan,
  rows: readonly EvaluatedRow[],
): Promise<{ recorded: Set<number>; refused: Set<number> }> {
  const wanted = rows.flatMap(({ rowNo, identity: { sourceId }, device }) =>
    sourceId === null || !device || device.recorded.includes(sourceId)
      ? []
      : [{ rowNo, sourceId, deviceId: device.id, orgId: device.orgId }],
  );
  const stored = await insertSourceIds(tx, plan, wanted);
  const numbers = (isStored: boolean) =>
    new Set(wanted.filter(({ sourceId }) => stored.has(sourceId) === isStored).map(({ rowNo }) => rowNo));
  return { recorded: numbers(true), refused: numbers(false) };
}

/** Values that a row writes, and the previous values (missing: none). */
function valuesOf(plan: LoadedPlan, row: EvaluatedRow): { written: Values; previous: Values } {
  const written: Values = {};
  const previous: Values = {};
  row.decisions.forEach((decision, i) => {
    const field = plan.fields[i];
    if (!field || !isWrite(decision)) return;
    written[field.fieldId] = decision.value;
    const before = row.held?.[i] ?? null;
    if (before !== null) previous[field.fieldId] = before;
  });
  return { written, previous };
}

/** Writes the rows' values together with the record of changes. @returns number of devices with new values. */
async function writeRows(
  tx: Tx,
  plan: LoadedPlan,
  { rows, recorded }: { rows: readonly EvaluatedRow[]; recorded: ReadonlySet<number> },
): Promise<number> {
  const patches: ValuePatch[] = [];
  const changes: Change[] = [];
  for (const row of rows) {
    const { written, previous } = valuesOf(plan, row);
    const isWritten = Object.keys(written).length > 0;
    const recordedSourceId = recorded.has(row.rowNo) ? row.identity.sourceId : null;
    if (!row.device || (!isWritten && recordedSourceId === null)) continue;
    const { id: deviceId, orgId } = row.device;
    changes.push({ rowNo: row.rowNo, orgId, deviceId, previous, written, recordedSourceId });
    if (isWritten) patches.push({ deviceId, orgId, patch: written, isNew: row.held === null });
  }
  await insertChanges(tx, plan.importId, changes);
  await writeValues(tx, patches);
  return patches.length;
}

/**
 * Evaluates rows for writing: devices about to change are read again under a lock. Rows that write nothing lock
 * nothing, so that a second run of the same file is cheap.
 */
async function evaluateLocked(tx: Tx, plan: LoadedPlan, rows: readonly PickedRow[]): Promise<EvaluatedRow[]> {
  const evaluated = await evaluateRows(tx, plan, { rows });
  const writing = new Set(
    evaluated.filter((row) => row.held !== null && hasWrite(row.codes)).map(({ rowNo }) => rowNo),
  );
  if (writing.size === 0) return evaluated;
  const again = await evaluateRows(tx, plan, { rows: rows.filter(({ rowNo }) => writing.has(rowNo)), lock: true });
  const locked = new Map(again.map((row) => [row.rowNo, row]));
  return evaluated.map((row) => locked.get(row.rowNo) ?? row);
}

async function applyWork(tx: Tx, plan: LoadedPlan, { report, ...range }: Range & { report: RunReport }): Promise<void> {
  const work = new Map((await readWork(tx, plan.importId, range)).map((checked) => [checked.rowNo, checked]));
  // The report includes ambiguous rows from the start, so a picked one must not count twice.
  for (const { outcome } of work.values()) if (outcome === "ambiguous") report.rows.ambiguous--;
  const staged = (await readStaged(tx, plan.importId, inRange(range))).flatMap((row) => {
    const checked = work.get(row.rowNo);
    return checked ? [{ ...row, picked: checked.pickedDeviceId }] : [];
  });
  const rows = await evaluateLocked(tx, plan, staged);
  const same = rows.filter((row) => isUnchanged(row, work.get(row.rowNo)));
  const { recorded, refused } = await recordSourceIds(tx, plan, same);
  const applied = same.filter(({ rowNo }) => !refused.has(rowNo));
  const done = new Set(applied.map(({ rowNo }) => rowNo));
  const changed = rows.filter(({ rowNo }) => !done.has(rowNo));
  report.devices += await writeRows(tx, plan, { rows: applied, recorded });
  await markOutcomes(tx, plan, [
    ...applied.flatMap((row) => {
      const checked = work.get(row.rowNo);
      return checked && checked.codes !== row.codes ? [{ ...checked, codes: row.codes, reason: row.reason }] : [];
    }),
    ...changed.map(({ rowNo, codes, reason }) => ({
      rowNo,
      outcome: "changed" as const,
      codes,
      reason: reason ?? "it names another device now",
    })),
  ]);
  for (const row of applied) count(report, row);
  report.picked += applied.filter(({ outcome }) => outcome === "ambiguous").length;
  report.rows.changed += changed.length;
  report.recordedSourceIds += recorded.size;
}

/** Counts checked rows that have a device and nothing to write. */
async function countUnchanged(
  tx: Tx,
  plan: LoadedPlan,
  { report, ...range }: Range & { report: RunReport },
): Promise<void> {
  for (const { rows, ...kind } of await countIdle(tx, plan.importId, range)) {
    count(report, kind, rows);
    if (kind.outcome !== "ambiguous") continue;
    // The report includes ambiguous rows from the start, so a picked one must not count twice.
    report.rows.ambiguous -= rows;
    report.picked += rows;
  }
}

/**
 * Applies the next resolved rows with something to write, after resolving them again: a row that now matches another
 * device is reported and left alone. Rows in between are counted as checked, so that a second run of the same file ends
 * quickly. All in the caller's transaction including the progress mark, so that a chunk is applied once or not at all.
 * Updates the report.
 * @returns the number of the last row done.
 */
export async function applyChunk(
  tx: Tx,
  plan: LoadedPlan,
  { after, report }: { after: number; report: RunReport },
): Promise<number> {
  const first = await findWork(tx, plan.importId, after);
  const through = first === null ? plan.totalRows : first - 1 + rowsPerTransaction(plan);
  await countUnchanged(tx, plan, { after, through, report });
  if (first !== null) await applyWork(tx, plan, { after: first - 1, through, report });
  return through;
}
