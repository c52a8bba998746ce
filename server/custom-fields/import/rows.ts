import { type SQL, sql } from "drizzle-orm";
import { ints, uuids } from "@/db/arrays";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { devices } from "@/db/schema";
import { type FieldValue, MASK } from "@/server/custom-fields/schema";
import { lastHeard } from "@/server/ground/last-heard";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { fittingValue, invalidReason } from "./decide/decide-value";
import { loadValues } from "./decide/load-devices";
import { type LoadedPlan, loadPlan } from "./decide/load-plan";
import { type Candidate, type ImportRow, MATCHED_OUTCOMES, outcomeOfCode, VALUE_CODES } from "./outcome-schema";
import { findImport, type ImportRecord, partnerScope } from "./record";
import { loadRowsAbout, relatedTo, rowPlace } from "./run/related-rows";
import { readWritten } from "./run/tables/changes";
import { type ResultRow, readResults } from "./run/tables/results";
import { rowsInput } from "./schema";

/** True if the run has applied the row. */
const isApplied = (row: ResultRow, found: ImportRecord): boolean =>
  row.rowNo <= found.appliedThrough &&
  (MATCHED_OUTCOMES.includes(row.outcome) || (row.outcome === "ambiguous" && row.pickedDeviceId !== null));

const deviceOf = (row: ResultRow): string | null => row.deviceId ?? row.pickedDeviceId;

/** Devices in reach named by results, by id, with distinguishing facts. */
async function nameDevices(
  tx: Tx,
  { orgIds }: LoadedPlan,
  results: readonly ResultRow[],
): Promise<ReadonlyMap<string, Candidate>> {
  const ids = new Set(results.flatMap((row) => [deviceOf(row) ?? [], row.candidates ?? []].flat()));
  if (ids.size === 0) return new Map();
  const found = await rowsOf<Candidate>(
    tx,
    sql`
    SELECT ${devices.id} AS "deviceId", ${devices.hostname}, o.name AS organization, ${devices.os},
      ${devices.serialNumber} AS serial, ${devices.lastIp} AS address,
      to_json(${lastHeard}) AS "lastSeenAt", to_json(${devices.createdAt}) AS "enrolledAt"
    FROM ${devices} JOIN organizations o ON o.id = ${devices.orgId}
    WHERE ${devices.id} = ANY(${uuids(ids)}) AND ${devices.orgId} = ANY(${uuids(orgIds)})`,
  );
  return new Map(found.map((device) => [device.deviceId, device]));
}

/**
 * Values of rows' devices before this import, by row and number of the plan's field: the previous value where it wrote
 * one, else the current one. Null without a device or value.
 */
async function loadHeldBefore(
  tx: Tx,
  plan: LoadedPlan,
  rows: readonly ResultRow[],
): Promise<(row: ResultRow, i: number) => FieldValue | null> {
  const deviceIds = new Set(rows.flatMap((row) => deviceOf(row) ?? []));
  const now = await loadValues(tx, plan, { deviceIds: [...deviceIds], lock: false });
  const rowNos = rows.map(({ rowNo }) => rowNo);
  const written = await readWritten(tx, plan.importId, rowNos);
  return (row, i) => {
    const fieldId = plan.fields[i]?.fieldId ?? "";
    const change = written.get(row.rowNo);
    if (change && fieldId in change.written) return change.previous[fieldId] ?? null;
    return now.get(deviceOf(row) ?? "")?.[i] ?? null;
  };
}

/** Maximum of contradicting rows read per row of a page; with more, the first are shown. */
const MAX_ABOUT = 10;

export type Shown = { result: ResultRow; row: ImportRow };

/** A page of results after a row number, as stored and as shown: with devices, values, and secrets masked. */
export async function readRows(
  tx: Tx,
  { plan, found }: { plan: LoadedPlan; found: ImportRecord },
  page: { after: number; limit: number; only: SQL },
): Promise<Shown[]> {
  const results = await readResults(tx, found.id, page);
  const names = await nameDevices(tx, plan, results);
  const held = await loadHeldBefore(tx, plan, results);
  const about = await loadRowsAbout(tx, plan.importId, { rows: results, limit: MAX_ABOUT * page.limit });
  const { hostname } = plan.identifiers;
  const toRow = (row: ResultRow): ImportRow => ({
    rowNo: row.rowNo,
    file: found.files[row.fileNo]?.name ?? "",
    line: row.line,
    place: rowPlace(found.files, row),
    outcome: row.outcome,
    reason: row.reason,
    sourceId: row.sourceId,
    hostname: hostname === null ? null : (row.cells[hostname] ?? null),
    device: (row.deviceId && names.get(row.deviceId)) || null,
    candidates: (row.candidates ?? []).flatMap((id) => names.get(id) ?? []),
    pickedDeviceId: row.pickedDeviceId,
    applied: found.startedAt ? isApplied(row, found) : null,
    related: relatedTo(row, about, found.files),
    cells: plan.fields.map((field, i) => {
      const text = row.cells[field.column] ?? "";
      const outcome = outcomeOfCode(row.codes[i] ?? VALUE_CODES.none);
      const shown = (value: FieldValue | null) => (field.secret && value !== null ? MASK : value);
      return {
        fieldId: field.fieldId,
        column: field.column,
        text: field.secret && text ? MASK : text,
        held: shown(held(row, i)),
        value: shown(fittingValue(field, text, outcome)),
        outcome,
        reason: outcome === "invalid" ? invalidReason(field, text) : null,
        isSecret: field.secret,
      };
    }),
  });
  return results.map((result) => ({ result, row: toRow(result) }));
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
  async run(ctx, { id, outcome, value, search, cursor, limit }) {
    const scope = partnerScope(ctx);
    return tenant(scope, async (tx) => {
      const found = await findImport(tx, ctx, id);
      if (!found.summary.check) return { rows: [], nextCursor: null };
      const plan = await loadPlan(tx, found, scope);
      const byOutcome = outcome ? sql`AND r.outcome = ${outcome}` : sql``;
      const byValue = value ? sql`AND strpos(r.codes, ${VALUE_CODES[value]}) > 0` : sql``;
      const bySearch = search ? matching(search, plan) : sql``;
      const only = sql`${byOutcome} ${byValue} ${bySearch}`;
      const page = await readRows(tx, { plan, found }, { after: cursor ?? 0, limit, only });
      const last = page.length === limit ? page.at(-1)?.row.rowNo : undefined;
      return { rows: page.map(({ row }) => row), nextCursor: last ?? null };
    });
  },
});
