import { sql } from "drizzle-orm";
import { ints } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { MAX_TEXT_VALUE } from "@/server/custom-fields/schema";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { idInput } from "@/server/ground/wire";
import { loadPlan } from "./decide/load-plan";
import { count } from "./decide/tally";
import { changing } from "./imports";
import { ColumnWatch } from "./map/guess-type";
import { cleanCell } from "./normalise";
import { withoutDevice } from "./outcome-schema";
import type { SourceColumn } from "./plan-schema";
import { presetOf } from "./presets";
import { type ImportRecord, partnerScope, updateImport } from "./record";
import { evaluateRows, isMoved, toResult } from "./run/check";
import { claimEdit, type EditPart, insertEdit, readCells, writeCells } from "./run/tables/edits";
import { findRival, type ResultRow, readResults, replaceResult } from "./run/tables/results";
import { type Edit, editInput, type ImportSummary, pickInput } from "./schema";
import { queueWork } from "./start";

/** Condition to find the cells of a change. */
const wanted = (edit: Edit) =>
  edit.kind === "cell"
    ? { column: edit.column, match: "row" as const, find: String(edit.rowNo) }
    : { column: edit.column, match: edit.match, find: edit.find };

const refusal = (path: string, message: string) =>
  new AppError("validation_failed", message, { errors: [{ path, message }] });

/**
 * A value after the change: part of it or all of it replaced.
 * @throws AppError validation_failed where a value would exceed a field's limit: a cell of the file may be longer.
 */
function afterOf(edit: Edit, before: string): string {
  if (edit.kind === "cell") return edit.value;
  if (edit.match === "cell") return edit.replace;
  const parts = before.split(edit.find);
  const length = before.length + (parts.length - 1) * (edit.replace.length - edit.find.length);
  if (length > Math.max(before.length, MAX_TEXT_VALUE))
    throw refusal(
      "edit.replace",
      `A value would become longer than ${MAX_TEXT_VALUE} characters. Nothing was changed.`,
    );
  return parts.join(edit.replace);
}

/**
 * Corrects values of the file: one cell, or every cell of a column that equals or contains a text. The uploaded file
 * stays unchanged; each change can be undone.
 * @throws AppError not_found; conflict for a row that could not be read or when nothing would change;
 * validation_failed.
 */
export const editValues = changing({
  input: editInput,
  from: ["staged", "checked"],
  async run(tx, ctx, { found, edit }) {
    if (!found.columns[edit.column]) throw invalid("edit.column", "is not a column of the file");
    if (edit.kind === "replace" && edit.match === "part" && edit.find === "")
      throw refusal("edit.find", "Say which text to replace.");
    const cells = await readCells(tx, found.id, wanted(edit));
    const parts = cells.flatMap(({ before, rowNos }): EditPart[] => {
      const after = cleanCell(afterOf(edit, before));
      return after === before ? [] : [{ before, after, rowNos }];
    });
    if (parts.length === 0) throw new AppError("conflict", "No value of this column would change.");
    const before = found.summary.edits ?? [];
    const rows = parts.reduce((sum, { rowNos }) => sum + rowNos.length, 0);
    const edits = [...before, { column: edit.column, rows }];
    await insertEdit(tx, found, { editNo: edits.length, column: edit.column, parts });
    return applyEdit(tx, ctx, { found, column: edit.column, parts, edits });
  },
});

/** Maximum of rows rechecked at once; more require a new check. */
const MAX_AT_ONCE = 200;

/** Rows of a change and their new value; null: no value. */
type Part = Pick<EditPart, "rowNos"> & { after: string | null };
type Change = { column: number; parts: readonly Part[]; edits: NonNullable<ImportSummary["edits"]> };

/** Recounts a column's profile from its distinct values. */
async function profile(tx: Tx, found: ImportRecord, column: SourceColumn): Promise<SourceColumn> {
  const uses = await rowsOf<{ text: string; uses: number; line: number }>(
    tx,
    sql`
    SELECT cells ->> ${column.index}::int AS text, count(*)::int AS uses, min(line)::int AS line
    FROM custom_field_import_rows
    WHERE import_id = ${found.id}::uuid AND fault IS NULL AND cells ->> ${column.index}::int <> ''
    GROUP BY 1 ORDER BY 3`,
  );
  const watch = new ColumnWatch();
  for (const { text, uses: times, line } of uses) watch.add(text, line, times);
  // One cell does not change how the file writes numbers.
  const { decimalComma } = column;
  return { ...column, ...watch.profile(column.rows, presetOf(found.source).dateOrder), decimalComma };
}

/**
 * Decides rows of a checked import again, each on its own, with a device picked for each; rows in conflict stay so until
 * all rows are checked. Updates the counts of the check.
 * @returns false, with no result changed, if a row now means another device
 */
async function redecide(
  tx: Tx,
  ctx: Ctx,
  { found, rows }: { found: ImportRecord; rows: readonly (ResultRow & { picked: string | null })[] },
): Promise<boolean> {
  const { check } = found.summary;
  if (!check) return true;
  const plan = await loadPlan(tx, found, partnerScope(ctx));
  const evaluated = await evaluateRows(tx, plan, { rows: rows.map((row) => ({ ...row, fault: null })) });
  const changes = rows.flatMap((old, i) => {
    const row = evaluated[i];
    if (!row) return [];
    const isDisputed = old.outcome === "identity_conflict";
    return { old, now: isDisputed ? { ...old, codes: withoutDevice(row.codes) } : toResult(row, old.picked) };
  });
  if (changes.some(({ old, now }) => isMoved({ ...old, pickedDeviceId: old.picked }, now))) return false;
  for (const { old, now } of changes) {
    await replaceResult(tx, plan, now);
    count(check, old, -1);
    count(check, now);
  }
  return true;
}

/** Stores a changed import whose rows were decided again; otherwise queues a check of all rows. */
async function store(
  tx: Tx,
  ctx: Ctx,
  { found, isDecided }: { found: ImportRecord; isDecided: boolean },
): Promise<ImportRecord> {
  const { columns, summary } = found;
  if (!isDecided)
    return queueWork(tx, ctx, {
      found,
      job: "check",
      also: { status: "staged", columns, orgIds: [...partnerScope(ctx).orgIds] },
    });
  return updateImport(tx, found.id, { columns, summary, updatedAt: ctx.now() });
}

/**
 * Writes a change into the rows. A few rows of a checked import are decided again at once; many rows, rows that now
 * mean another device, or changes to an identifier column start a new check.
 */
async function applyEdit(
  tx: Tx,
  ctx: Ctx,
  { found: before, column, parts, edits }: Change & { found: ImportRecord },
): Promise<ImportRecord> {
  for (const { rowNos, after } of parts) await writeCells(tx, before.id, { column, rowNos, text: after });
  const columns = await Promise.all(
    before.columns.map((one) => (one.index === column ? profile(tx, before, one) : one)),
  );
  const found = { ...before, columns, summary: { ...before.summary, edits } };
  if (found.status !== "checked") return store(tx, ctx, { found, isDecided: true });
  const rowNos = parts.flatMap((part) => part.rowNos);
  const isIdentifier = found.plan !== null && Object.values(found.plan.identifiers).includes(column);
  if (isIdentifier || rowNos.length > MAX_AT_ONCE) return store(tx, ctx, { found, isDecided: false });
  const only = sql`AND r.row_no = ANY(${ints(rowNos)})`;
  const results = await readResults(tx, found.id, { after: 0, limit: rowNos.length, only });
  const rows = results.map((row) => ({ ...row, picked: row.pickedDeviceId }));
  return store(tx, ctx, { found, isDecided: await redecide(tx, ctx, { found, rows }) });
}

/** Undoes the last change to values of the file. @throws AppError not_found; conflict when there is none. */
export const undoEdit = changing({
  input: idInput,
  from: ["staged", "checked"],
  async run(tx, ctx, { found }) {
    const edits = found.summary.edits ?? [];
    const last = edits.at(-1);
    if (!last) throw new AppError("conflict", "There is no change to undo.");
    const parts = await claimEdit(tx, found.id, edits.length);
    // A blank may have been a missing value, which must not clear one, so it is restored as missing.
    const back = parts.map(({ before, rowNos }) => ({ after: before || null, rowNos }));
    return applyEdit(tx, ctx, { found, column: last.column, parts: back, edits: edits.slice(0, -1) });
  },
});

/**
 * Picks one of an ambiguous row's candidates; null withdraws the choice.
 * @throws AppError not_found, conflict, validation_failed for a device that is not a candidate.
 */
export const pickCandidate = changing({
  input: pickInput,
  from: ["checked"],
  async run(tx, ctx, { found, rowNo, deviceId }) {
    const only = sql`AND r.row_no = ${rowNo}`;
    const [row] = await readResults(tx, found.id, { after: rowNo - 1, limit: 1, only });
    if (!row) throw notFound("row");
    if (row.outcome !== "ambiguous") throw new AppError("conflict", "A device can be chosen for ambiguous rows only.");
    if (deviceId !== null) {
      if (!row.candidates?.includes(deviceId)) throw invalid("deviceId", "is not one of the row's candidates");
      const rival = await findRival(tx, found.id, { ...row, deviceId });
      if (rival)
        throw new AppError(
          "conflict",
          rival.hasDevice
            ? `Row ${rival.rowNo} already matches that device: pick another one, or correct the file.`
            : `Row ${rival.rowNo} has the source ID ${row.sourceId} too: correct the file first.`,
        );
    }
    const isDecided = await redecide(tx, ctx, { found, rows: [{ ...row, picked: deviceId }] });
    return store(tx, ctx, { found, isDecided });
  },
});
