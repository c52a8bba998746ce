import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import type { Compiled } from "@/server/custom-fields/import/decide/compile";
import { isWrite } from "@/server/custom-fields/import/decide/decide-value";
import { codesOf, count, type Derived, deriveRows, type StagedRow } from "@/server/custom-fields/import/decide/derive";
import { MATCHED_OUTCOMES, type RowOutcome, type RunReport } from "@/server/custom-fields/import/schema";
import type { FieldValue } from "@/server/custom-fields/schema";
import { readStaged } from "./check";
import { type ValuePatch, writeValues } from "./write-values";

/**
 * Rows of one transaction of a run or an undo: a kill repeats at most these, a cancel waits for at most these. A small
 * import goes in smaller steps, so that its progress is seen.
 */
export const applyRows = (totalRows: number): number => Math.min(10_000, Math.max(1_000, Math.ceil(totalRows / 10)));

type Checked = { n: number; o: RowOutcome; c: string; d: string | null; p: string | null; s: boolean };

/** What the check resolved, or a person, of a range of rows. */
async function readResolved(tx: Tx, importId: string, after: number, through: number): Promise<Map<number, Checked>> {
  const rows = await tx.execute<Checked>(sql`
    SELECT row_no AS n, outcome AS o, codes AS c, device_id AS d, picked_device_id AS p, source_id IS NOT NULL AS s
    FROM custom_field_import_results
    WHERE import_id = ${importId}::uuid AND row_no > ${after} AND row_no <= ${through}
      AND (device_id IS NOT NULL OR (outcome = 'ambiguous' AND picked_device_id IS NOT NULL))`);
  return new Map(rows.map((row) => [row.n, row]));
}

/** True when the check found something to write: a value, or the source ID of a device that was found otherwise. */
const hasWork = ({ o, c, s }: Checked): boolean => /[soc]/.test(c) || (s && o !== "matched_source_id");

/** Still the device that the check found, or that a person picked. */
function isUnchanged(row: Derived, checked: Checked | undefined): boolean {
  if (!checked || !row.device) return false;
  if (MATCHED_OUTCOMES.includes(checked.o))
    return MATCHED_OUTCOMES.includes(row.outcome) && row.device.id === checked.d;
  return checked.o === "ambiguous" && row.outcome === "ambiguous" && row.device.id === checked.p;
}

/**
 * Records the source IDs of rows that were found otherwise.
 * @returns the rows whose id turned out to be recorded on another device, perhaps beyond the caller's reach.
 */
async function recordSourceIds(
  tx: Tx,
  c: Compiled,
  rows: readonly Derived[],
): Promise<{ recorded: Set<number>; refused: Set<number> }> {
  const wanted = rows.filter(
    ({ identity, device }) => identity.sourceId !== null && !device?.recorded.includes(identity.sourceId),
  );
  if (wanted.length === 0) return { recorded: new Set(), refused: new Set() };
  const list = wanted.map(({ identity, device }) => ({ s: identity.sourceId, d: device?.id, o: device?.orgId }));
  const done = await tx.execute<{ s: string }>(sql`
    INSERT INTO device_source_ids (partner_id, source, source_id, device_id, org_id)
    SELECT ${c.partnerId}::uuid, ${c.source}, r.s, r.d, r.o
    FROM jsonb_to_recordset(${JSON.stringify(list)}::text::jsonb) AS r(s text, d uuid, o uuid)
    ON CONFLICT DO NOTHING RETURNING source_id AS s`);
  const stored = new Set(done.map(({ s }) => s));
  const isStored = ({ identity }: Derived) => stored.has(identity.sourceId as string);
  return {
    recorded: new Set(wanted.filter(isStored).map(({ rowNo }) => rowNo)),
    refused: new Set(wanted.filter((row) => !isStored(row)).map(({ rowNo }) => rowNo)),
  };
}

type Values = Record<string, FieldValue | null>;

/** What of a row is written, and what was there before (nothing said: nothing was). */
function changesOf(c: Compiled, row: Derived): { written: Values; previous: Values } {
  const written: Values = {};
  const previous: Values = {};
  row.decisions.forEach((decision, i) => {
    const field = c.fields[i];
    if (!field || !isWrite(decision)) return;
    written[field.fieldId] = decision.value;
    const before = row.held?.[i] ?? null;
    if (before !== null) previous[field.fieldId] = before;
  });
  return { written, previous };
}

/** One row a changed device, in the same transaction as the change: what undo and the read-back go by. */
async function storeChanges(
  tx: Tx,
  c: Compiled,
  rows: readonly Derived[],
  recorded: ReadonlySet<number>,
): Promise<ValuePatch[]> {
  const patches: ValuePatch[] = [];
  const list: object[] = [];
  for (const row of rows) {
    const { written, previous } = changesOf(c, row);
    const isWritten = Object.keys(written).length > 0;
    if (!row.device || (!isWritten && !recorded.has(row.rowNo))) continue;
    const { id, orgId } = row.device;
    list.push({
      n: row.rowNo,
      o: orgId,
      d: id,
      p: previous,
      w: written,
      s: recorded.has(row.rowNo) ? row.identity.sourceId : null,
    });
    if (isWritten) patches.push({ deviceId: id, orgId, patch: written, isNew: row.held === null });
  }
  if (list.length > 0)
    await tx.execute(sql`
      INSERT INTO custom_field_import_changes (import_id, row_no, org_id, device_id, previous, written, recorded_source_id)
      SELECT ${c.importId}::uuid, r.n, r.o, r.d, r.p, r.w, r.s
      FROM jsonb_to_recordset(${JSON.stringify(list)}::text::jsonb) AS r(n int, o uuid, d uuid, p jsonb, w jsonb, s text)
      ON CONFLICT (import_id, row_no) DO NOTHING`);
  return patches;
}

/** Notes where the run came to something else than the check. By upsert, whose plan is always the key's index. */
async function markRows(
  tx: Tx,
  c: Compiled,
  checked: Map<number, Checked>,
  applied: readonly Derived[],
  changed: readonly Derived[],
): Promise<void> {
  const list = [
    ...applied
      .map((row) => ({ n: row.rowNo, o: checked.get(row.rowNo)?.o, c: codesOf(row), r: row.reason }))
      .filter(({ n, c: codes }) => codes !== checked.get(n)?.c),
    ...changed.map((row) => ({
      n: row.rowNo,
      o: "changed",
      c: codesOf(row),
      r: row.reason ?? "it names another device now",
    })),
  ];
  if (list.length === 0) return;
  await tx.execute(sql`
    INSERT INTO custom_field_import_results (import_id, row_no, partner_id, outcome, codes, reason)
    SELECT ${c.importId}::uuid, r.n, ${c.partnerId}::uuid, r.o, r.c, r.r
    FROM jsonb_to_recordset(${JSON.stringify(list)}::text::jsonb) AS r(n int, o text, c text, r text)
    ON CONFLICT (import_id, row_no) DO UPDATE SET outcome = excluded.outcome, codes = excluded.codes, reason = excluded.reason`);
}

/**
 * Rows derived for writing: where a device's values are about to change they are read again under a lock. A row that
 * writes nothing locks nothing, so a second run of the same file costs little.
 */
async function deriveLocked(tx: Tx, c: Compiled, staged: readonly StagedRow[]): Promise<Derived[]> {
  const derived = await deriveRows(tx, c, staged);
  const writing = new Set(
    derived.filter((row) => row.held !== null && row.decisions.some(isWrite)).map(({ rowNo }) => rowNo),
  );
  if (writing.size === 0) return derived;
  const again = await deriveRows(
    tx,
    c,
    staged.filter(({ rowNo }) => writing.has(rowNo)),
    true,
  );
  const locked = new Map(again.map((row) => [row.rowNo, row]));
  return derived.map((row) => locked.get(row.rowNo) ?? row);
}

/**
 * Applies the next rows that the check resolved, after resolving them again: a row that comes to another device now is
 * reported and left alone. A row for which the check found nothing to write is counted as checked: a second run of the
 * same file is over as soon as its results have been read. Everything happens in the caller's transaction, the progress
 * mark included, so that a chunk is applied once or not at all. The report is brought up to date.
 * @returns the number of the last row done.
 */
export async function applyChunk(tx: Tx, c: Compiled, after: number, report: RunReport): Promise<number> {
  const through = after + applyRows(c.totalRows);
  const checked = await readResolved(tx, c.importId, after, through);
  // Ambiguous rows are in the report from the start: one that a person picked for is not counted twice.
  for (const { o } of checked.values()) if (o === "ambiguous") report.rows.ambiguous--;
  const work = new Map([...checked].filter(([, row]) => hasWork(row)));
  for (const [rowNo, { o, c: codes }] of checked) if (!work.has(rowNo)) count(report, o, codes);
  if (work.size > 0) await applyWork(tx, c, { after, through, work, report });
  return through;
}

type Chunk = { after: number; through: number; work: Map<number, Checked>; report: RunReport };

async function applyWork(tx: Tx, c: Compiled, { after, through, work, report }: Chunk): Promise<void> {
  const picks = new Map([...work.values()].flatMap(({ n, p }) => (p === null ? [] : [[n, p] as const])));
  const staged = (await readStaged(tx, c.importId, after, through, picks)).filter(({ rowNo }) => work.has(rowNo));
  const derived = await deriveLocked(tx, c, staged);
  const same = derived.filter((row) => isUnchanged(row, work.get(row.rowNo)));
  const { recorded, refused } = await recordSourceIds(tx, c, same);
  const applied = same.filter(({ rowNo }) => !refused.has(rowNo));
  const done = new Set(applied.map(({ rowNo }) => rowNo));
  const changed = derived.filter(({ rowNo }) => !done.has(rowNo));
  const patches = await storeChanges(tx, c, applied, recorded);
  await writeValues(tx, patches);
  await markRows(tx, c, work, applied, changed);
  for (const row of applied) count(report, row.outcome, codesOf(row));
  report.rows.changed += changed.length;
  report.devices += patches.length;
  report.recordedSourceIds += recorded.size;
}
