import { eq, type SQL, sql } from "drizzle-orm";
import { ints } from "@/db/arrays";
import { type Tx, tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema/index";
import { type FieldValue, MASK } from "@/server/custom-fields/schema";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { fittingValue, invalidReason } from "./decide/decide-value";
import { type LoadedPlan, loadPlan } from "./decide/load-plan";
import { count } from "./decide/tally";
import { type DeviceNames, isApplied, nameDevices } from "./download-columns";
import { toImportState } from "./imports";
import { type ImportRow, outcomeOfCode, VALUE_CODES } from "./outcome-schema";
import { rowPlace } from "./read/row-place";
import { findImport, type ImportRecord, lockImport, partnerScope, requireIdle } from "./record";
import { evaluateRows, isMoved, toResult } from "./run/check";
import { type HeldBefore, loadHeldBefore } from "./run/held-before";
import { loadRowsAbout, type RowsAbout, relatedTo } from "./run/related-rows";
import { findRowOfDevice, findRowOfSourceId, type ResultRow, readResults, replaceResult } from "./run/tables/results";
import { type ImportState, pickInput, rowsInput } from "./schema";
import { queueWork } from "./start";

type Context = {
  plan: LoadedPlan;
  found: ImportRecord;
  devices: DeviceNames;
  held: HeldBefore;
  about: RowsAbout;
};
/** Related rows read for a page; with more, the first are shown. */
const MAX_ABOUT = 1000;

function toRow(row: ResultRow, { plan, found, devices, held, about }: Context): ImportRow {
  const { hostname } = plan.identifiers;
  return {
    rowNo: row.rowNo,
    file: found.files[row.fileNo]?.name ?? "",
    line: row.line,
    place: rowPlace(found.files, row),
    outcome: row.outcome,
    reason: row.reason,
    sourceId: row.sourceId,
    hostname: hostname === null ? null : (row.cells[hostname] ?? null),
    device: (row.deviceId && devices.get(row.deviceId)) || null,
    candidates: (row.candidates ?? []).flatMap((id) => devices.get(id) ?? []),
    pickedDeviceId: row.pickedDeviceId,
    applied: found.startedAt ? isApplied(row, found) : null,
    related: relatedTo(row, about, found.files),
    cells: plan.fields.map((field, i) => {
      const text = row.cells[field.column] ?? "";
      const outcome = outcomeOfCode(row.codes[i] ?? VALUE_CODES.none);
      const reason = outcome === "invalid" ? invalidReason(field, text) : null;
      const [before, value] = [held(row, i), fittingValue(field, text, outcome)];
      const shown = (one: FieldValue | null) => (field.secret && one !== null ? MASK : one);
      return {
        fieldId: field.fieldId,
        column: field.column,
        text: field.secret && text ? MASK : text,
        held: shown(before),
        value: shown(value),
        outcome,
        reason,
        isSecret: field.secret,
      };
    }),
  };
}

/** Rows with an identifier or nonsecret value that contains a text, in any case. */
function matching(text: string, { identifiers, fields }: LoadedPlan): SQL {
  const open = fields.flatMap(({ column, secret }) => (secret ? [] : [column]));
  const columns = [...Object.values(identifiers), ...open].flatMap((column) => column ?? []);
  return sql`AND EXISTS (
    SELECT 1 FROM custom_field_import_rows s
    CROSS JOIN LATERAL unnest(${ints(columns)}) AS wanted(column_no)
    WHERE s.import_id = r.import_id AND s.row_no = r.row_no
      AND strpos(lower(s.cells ->> wanted.column_no), lower(${text})) > 0)`;
}

/** A page of the table of the check or run, by row number. */
export const listRows = operation({
  permission: "custom_fields:import",
  input: rowsInput,
  output: typed<{ rows: ImportRow[]; nextCursor: number | null }>(),
  async run(ctx, input) {
    const scope = partnerScope(ctx);
    return tenant(scope, async (tx) => {
      const found = await findImport(tx, ctx, input.id);
      if (!found.summary.check) return { rows: [], nextCursor: null };
      const plan = await loadPlan(tx, found, scope);
      const byOutcome = input.outcome ? sql`AND r.outcome = ${input.outcome}` : sql``;
      const byValue = input.value ? sql`AND strpos(r.codes, ${VALUE_CODES[input.value]}) > 0` : sql``;
      const bySearch = input.search ? matching(input.search, plan) : sql``;
      const { cursor, limit } = input;
      const page = await readResults(tx, found.id, {
        after: cursor ?? 0,
        limit,
        only: sql`${byOutcome} ${byValue} ${bySearch}`,
      });
      const devices = await nameDevices(tx, scope.orgIds, page);
      const last = page.length === input.limit ? page.at(-1)?.rowNo : undefined;
      const held = await loadHeldBefore(tx, plan, page);
      const about = await loadRowsAbout(tx, plan.importId, { rows: page, limit: MAX_ABOUT });
      const context = { plan, found, devices, held, about };
      return { rows: page.map((row) => toRow(row, context)), nextCursor: last ?? null };
    });
  },
});

/** Updates one row's result and the check's counts; a row that now means another device needs a new check. */
async function recheck(
  tx: Tx,
  ctx: Ctx,
  { plan, found, row, picked }: { plan: LoadedPlan; found: ImportRecord; row: ResultRow; picked: string | null },
): Promise<ImportRecord> {
  const [evaluated] = await evaluateRows(tx, plan, { rows: [{ ...row, fault: null, picked }] });
  const check = found.summary.check;
  if (!evaluated || !check) return found;
  const now = toResult(evaluated, picked);
  if (isMoved({ ...row, pickedDeviceId: picked }, now))
    return queueWork(tx, ctx, { found, job: "check", also: { status: "staged", orgIds: [...plan.orgIds] } });
  await replaceResult(tx, plan, now);
  count(check, row, -1);
  count(check, now);
  const summary = { ...found.summary, check };
  const updatedAt = new Date();
  await tx.update(customFieldImports).set({ summary, updatedAt }).where(eq(customFieldImports.id, found.id));
  return { ...found, summary, updatedAt };
}

/**
 * Picks one of an ambiguous row's candidates; null withdraws the choice.
 * @throws AppError not_found, conflict, validation_failed for a device that is not a candidate.
 */
export const pickCandidate = operation({
  permission: "custom_fields:import",
  input: pickInput,
  output: typed<ImportState>(),
  async run(ctx, { id, rowNo, deviceId }) {
    const scope = partnerScope(ctx);
    const now = await tenant(scope, async (tx) => {
      const found = await lockImport(tx, ctx, id);
      requireIdle(found, "checked");
      const [row] = await readResults(tx, id, { after: rowNo - 1, limit: 1, only: sql`AND r.row_no = ${rowNo}` });
      if (!row) throw notFound("row");
      if (row.outcome !== "ambiguous")
        throw new AppError("conflict", "A device can be chosen for ambiguous rows only.");
      if (deviceId !== null) {
        if (!row.candidates?.includes(deviceId)) throw invalid("deviceId", "is not one of the row's candidates");
        const other = await findRowOfDevice(tx, id, { rowNo, deviceId });
        if (other !== undefined)
          throw new AppError(
            "conflict",
            `Row ${other} already matches that device: pick another one, or correct the file.`,
          );
        const { sourceId } = row;
        const twin = sourceId === null ? undefined : await findRowOfSourceId(tx, id, { rowNo, sourceId });
        if (twin !== undefined)
          throw new AppError("conflict", `Row ${twin} has the source ID ${sourceId} too: correct the file first.`);
      }
      return recheck(tx, ctx, { plan: await loadPlan(tx, found, scope), found, row, picked: deviceId });
    });
    return toImportState(now);
  },
});
