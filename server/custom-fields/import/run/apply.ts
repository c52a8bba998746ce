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
import { type Range, readStaged } from "./tables/staged";

/** New values of one device; null removes one. isNew: the device held no value at all when it was read. */
export type ValuePatch = { deviceId: string; orgId: string; patch: Values; isNew: boolean };

const recordset = (patches: readonly ValuePatch[]) => sql`
  jsonb_to_recordset(${JSON.stringify(patches)}::text::jsonb) AS p("deviceId" uuid, "orgId" uuid, patch jsonb)`;

/**
 * Writes many devices' values in two statements (upserts, whose plan is always the key's index). Devices that were read
 * under a lock are merged into; for one that had no row to lock, what another writer stored in between wins.
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

/** Still the device that the check found, or that a person picked. */
function isUnchanged(row: EvaluatedRow, checked: ResolvedResult | undefined): boolean {
  if (!checked || !row.device) return false;
  if (MATCHED_OUTCOMES.includes(checked.outcome))
    return MATCHED_OUTCOMES.includes(row.outcome) && row.device.id === checked.deviceId;
  return checked.outcome === "ambiguous" && row.outcome === "ambiguous" && row.device.id === checked.pickedDeviceId;
}

/**
 * Records the source IDs of rows that were found otherwise.
 * @returns the rows whose ID was recorded, and those whose ID is recorded on another device.
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

/** What of a row is written, and what was there before (nothing said: nothing was). */
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

/** Writes the rows' values and, with them, what was changed. @returns how many devices received values. */
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
 * Rows evaluated for writing: where a device's values are about to change they are read again under a lock. A row that
 * writes nothing locks nothing, so a second run of the same file costs little.
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
  // Ambiguous rows are in the report from the start: one that a person picked for is not counted twice.
  for (const { outcome } of work.values()) if (outcome === "ambiguous") report.rows.ambiguous--;
  const staged = (await readStaged(tx, plan.importId, range)).flatMap((row) => {
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
  report.picked = (report.picked ?? 0) + applied.filter(({ outcome }) => outcome === "ambiguous").length;
  report.rows.changed += changed.length;
  report.recordedSourceIds += recorded.size;
}

/** Counts rows that have a device and nothing to write as they were checked. */
async function countUnchanged(
  tx: Tx,
  plan: LoadedPlan,
  { report, ...range }: Range & { report: RunReport },
): Promise<void> {
  for (const { rows, ...kind } of await countIdle(tx, plan.importId, range)) {
    count(report, kind, rows);
    if (kind.outcome !== "ambiguous") continue;
    // In the report from the start: one that a person picked for is not counted twice.
    report.rows.ambiguous -= rows;
    report.picked = (report.picked ?? 0) + rows;
  }
}

/**
 * Applies the next rows that the check resolved and that have something to write, after resolving them again: a row that
 * matches another device now is reported and left alone. The rows before and between them are counted as checked: a
 * second run of the same file is over as soon as its results have been counted. Everything happens in the caller's
 * transaction, the progress mark included, so that a chunk is applied once or not at all. The report is brought up to
 * date.
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
