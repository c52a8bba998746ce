import { eq, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import type { Ctx } from "@/server/context";
import { coerceText } from "@/server/custom-fields/coerce";
import { MASK } from "@/server/custom-fields/schema";
import { AppError, invalid, notFound } from "@/server/errors";
import { type Compiled, compile } from "./decide/compile";
import type { ActiveField } from "./decide/decide-value";
import { codesOf, count, deriveRows } from "./decide/derive";
import { findImport, type ImportRecord, partnerScope, requireIdle, toImportState, uuidList } from "./find-import";
import { replaceResult } from "./run/check";
import {
  type Candidate,
  type ImportRow,
  type ImportState,
  MATCHED_OUTCOMES,
  outcomeOfCode,
  type RowOutcome,
  VALUE_CODES,
  type ValueOutcome,
} from "./schema";

type ReadRow = {
  n: number;
  f: number;
  l: number;
  c: string[];
  o: RowOutcome;
  r: string | null;
  d: string | null;
  s: string | null;
  v: string;
  a: string[] | null;
  p: string | null;
};
export type ResultRow = ReadRow;

/** Results after a row number, in order, with their staged rows: a statement over each table. */
export async function readResults(
  tx: Tx,
  importId: string,
  after: number,
  limit: number,
  only = sql``,
): Promise<ResultRow[]> {
  const results = await tx.execute<Omit<ReadRow, "f" | "l" | "c">>(sql`
    SELECT r.row_no AS n, r.outcome AS o, r.reason AS r, r.device_id AS d, r.source_id AS s, r.codes AS v,
      r.candidates AS a, r.picked_device_id AS p
    FROM custom_field_import_results r WHERE r.import_id = ${importId}::uuid AND r.row_no > ${after} ${only}
    ORDER BY r.row_no LIMIT ${limit}`);
  const rows = await tx.execute<Pick<ReadRow, "n" | "f" | "l" | "c">>(sql`
    SELECT row_no AS n, file_no AS f, line AS l, cells AS c FROM custom_field_import_rows
    WHERE import_id = ${importId}::uuid AND row_no = ANY(${`{${results.map(({ n }) => n).join(",")}}`}::int[])`);
  const byNo = new Map(rows.map((row) => [row.n, row]));
  return results.flatMap((result) => {
    const row = byNo.get(result.n);
    return row ? [{ ...row, ...result }] : [];
  });
}

/** True for a row that the run has applied. */
export const isApplied = (row: ResultRow, found: ImportRecord): boolean =>
  row.n <= found.appliedThrough && (MATCHED_OUTCOMES.includes(row.o) || (row.o === "ambiguous" && row.p !== null));

/** Names of devices within reach, for rows that speak of them. */
export async function nameDevices(
  tx: Tx,
  orgIds: readonly string[],
  rows: readonly ResultRow[],
): Promise<Map<string, Candidate>> {
  const ids = [...new Set(rows.flatMap(({ d, a, p }) => [...(d ? [d] : []), ...(a ?? []), ...(p ? [p] : [])]))];
  const found = await tx.execute<Candidate>(sql`
    SELECT d.id AS "deviceId", d.hostname, o.name AS organization FROM devices d JOIN organizations o ON o.id = d.org_id
    WHERE d.id = ANY(${uuidList(ids)}) AND d.org_id = ANY(${uuidList(orgIds)})`);
  return new Map(found.map((device) => [device.deviceId, device]));
}

/** Why a value is invalid, found out again: the check keeps one letter a value. */
export function reasonOf(field: ActiveField, text: string): string {
  const read = text === "" ? null : coerceText(field.rule, text, field.dateOrder);
  if (read === null) return "is required and cannot be cleared";
  return read.ok ? "is not a field of this kind of device" : read.reason;
}

function toRow(row: ResultRow, c: Compiled, found: ImportRecord, devices: Map<string, Candidate>): ImportRow {
  const { hostname } = c.plan.identifiers;
  return {
    rowNo: row.n,
    file: found.files[row.f]?.name ?? "",
    line: row.l,
    outcome: row.o,
    reason: row.r,
    sourceId: row.s,
    hostname: hostname === null ? null : (row.c[hostname] ?? null),
    device: (row.d && devices.get(row.d)) || null,
    candidates: (row.a ?? []).flatMap((id) => devices.get(id) ?? []),
    pickedDeviceId: row.p,
    cells: c.fields.map((field, i) => {
      const text = row.c[field.column] ?? "";
      const outcome = outcomeOfCode(row.v[i] ?? VALUE_CODES.none);
      const reason = outcome === "invalid" ? reasonOf(field, text) : null;
      return { fieldId: field.fieldId, text: field.secret && text ? MASK : text, outcome, reason };
    }),
  };
}

type RowsInput = { id: string; outcome?: RowOutcome; value?: ValueOutcome; cursor?: number | null; limit: number };

/** A page of the check's (or the run's) table, by row number. */
export async function listRows(ctx: Ctx, input: RowsInput): Promise<{ rows: ImportRow[]; nextCursor: number | null }> {
  const scope = partnerScope(ctx);
  return tenant(scope, async (tx) => {
    const found = await findImport(tx, ctx, input.id);
    if (!found.summary.check) return { rows: [], nextCursor: null };
    const c = await compile(tx, found, scope);
    const byOutcome = input.outcome ? sql`AND r.outcome = ${input.outcome}` : sql``;
    const byValue = input.value ? sql`AND strpos(r.codes, ${VALUE_CODES[input.value]}) > 0` : sql``;
    const page = await readResults(tx, found.id, input.cursor ?? 0, input.limit, sql`${byOutcome} ${byValue}`);
    const devices = await nameDevices(tx, scope.orgIds, page);
    const last = page.length === input.limit ? page.at(-1)?.n : undefined;
    return { rows: page.map((row) => toRow(row, c, found, devices)), nextCursor: last ?? null };
  });
}

/** @throws AppError conflict when another row already stands for the device. */
async function refuseTaken(tx: Tx, id: string, rowNo: number, deviceId: string): Promise<void> {
  const [taken] = await tx.execute<{ n: number }>(sql`
    SELECT row_no AS n FROM custom_field_import_results
    WHERE import_id = ${id}::uuid AND row_no <> ${rowNo} AND (device_id = ${deviceId}::uuid OR picked_device_id = ${deviceId}::uuid) LIMIT 1`);
  if (taken) throw new AppError("conflict", `Row ${taken.n} already stands for that device.`);
}

/** Brings one row's result and the check's counts up to date. */
async function recheck(
  tx: Tx,
  c: Compiled,
  found: ImportRecord,
  row: ResultRow,
  picked: string | null,
): Promise<ImportRecord> {
  const [derived] = await deriveRows(tx, c, [{ rowNo: row.n, cells: row.c, fault: null, picked }]);
  const check = found.summary.check;
  if (!derived || !check) return found;
  await replaceResult(tx, c, derived, picked);
  count(check, row.o, row.v, -1);
  count(check, derived.outcome, codesOf(derived));
  const summary = { ...found.summary, check };
  await tx
    .update(customFieldImports)
    .set({ summary, updatedAt: new Date() })
    .where(eq(customFieldImports.id, found.id));
  return { ...found, summary };
}

/**
 * Lets a person choose one of an ambiguous row's candidates (or, with null, take the choice back).
 * @throws AppError not_found, conflict, validation_failed for a device that is no candidate.
 */
export async function pickCandidate(
  ctx: Ctx,
  input: { id: string; rowNo: number; deviceId: string | null },
): Promise<ImportState> {
  const scope = partnerScope(ctx);
  return tenant(scope, async (tx) => {
    const found = await findImport(tx, ctx, input.id, "update");
    requireIdle(found, "checked");
    const [row] = await readResults(tx, found.id, input.rowNo - 1, 1, sql`AND r.row_no = ${input.rowNo}`);
    if (!row) throw notFound("row");
    if (row.o !== "ambiguous") throw new AppError("conflict", "Only an ambiguous row leaves a choice.");
    if (input.deviceId !== null) {
      if (!row.a?.includes(input.deviceId)) throw invalid("deviceId", "is not one of the row's candidates");
      await refuseTaken(tx, found.id, input.rowNo, input.deviceId);
    }
    return toImportState(await recheck(tx, await compile(tx, found, scope), found, row, input.deviceId));
  });
}
