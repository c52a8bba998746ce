import { sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { MASK } from "@/server/custom-fields/schema";
import { operation } from "@/server/operation";
import { typed } from "@/server/wire";
import { invalidReason } from "./decide/decide-value";
import { type LoadedPlan, loadPlan } from "./decide/load-plan";
import { findImport, type ImportRecord, partnerScope } from "./find-import";
import { type DeviceNames, nameDevices } from "./name-devices";
import { type ResultRow, readResults } from "./run/tables/results";
import { type ImportRow, outcomeOfCode, rowsInput, VALUE_CODES } from "./schema";

type Context = { plan: LoadedPlan; found: ImportRecord; devices: DeviceNames };

function toRow(row: ResultRow, { plan, found, devices }: Context): ImportRow {
  const { hostname } = plan.identifiers;
  return {
    rowNo: row.rowNo,
    file: found.files[row.fileNo]?.name ?? "",
    line: row.line,
    outcome: row.outcome,
    reason: row.reason,
    sourceId: row.sourceId,
    hostname: hostname === null ? null : (row.cells[hostname] ?? null),
    device: (row.deviceId && devices.get(row.deviceId)) || null,
    candidates: (row.candidates ?? []).flatMap((id) => devices.get(id) ?? []),
    pickedDeviceId: row.pickedDeviceId,
    cells: plan.fields.map((field, i) => {
      const text = row.cells[field.column] ?? "";
      const outcome = outcomeOfCode(row.codes[i] ?? VALUE_CODES.none);
      const reason = outcome === "invalid" ? invalidReason(field, text) : null;
      return { fieldId: field.fieldId, text: field.secret && text ? MASK : text, outcome, reason };
    }),
  };
}

/** A page of the check's (or the run's) table, by row number. */
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
      const { cursor, limit } = input;
      const page = await readResults(tx, found.id, { after: cursor ?? 0, limit, only: sql`${byOutcome} ${byValue}` });
      const devices = await nameDevices(tx, scope.orgIds, page);
      const last = page.length === input.limit ? page.at(-1)?.rowNo : undefined;
      return { rows: page.map((row) => toRow(row, { plan, found, devices })), nextCursor: last ?? null };
    });
  },
});
