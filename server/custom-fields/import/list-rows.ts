import { type SQL, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { MASK } from "@/server/custom-fields/schema";
import { operation } from "@/server/operation";
import { typed } from "@/server/wire";
import { invalidReason } from "./decide/decide-value";
import { loadValues } from "./decide/load-devices";
import { type LoadedPlan, loadPlan } from "./decide/load-plan";
import { findImport, type ImportRecord, partnerScope } from "./find-import";
import { type DeviceNames, nameDevices } from "./name-devices";
import { type RelatedRow, type ResultRow, readResults, readRowsAbout } from "./run/tables/results";
import { type ImportRow, outcomeOfCode, rowsInput, VALUE_CODES } from "./schema";

type Held = Awaited<ReturnType<typeof loadValues>>;
type Context = {
  plan: LoadedPlan;
  found: ImportRecord;
  devices: DeviceNames;
  held: Held;
  about: readonly RelatedRow[];
};
/** Other rows named beside one that contradicts them. */
const MAX_RELATED = 5;

/** The other rows of the file that are about a device of a row in conflict. */
function relatedTo(row: ResultRow, about: readonly RelatedRow[]): ImportRow["related"] {
  if (row.outcome !== "identity_conflict") return [];
  const devices = new Set(row.candidates ?? []);
  return about
    .filter((other) => other.rowNo !== row.rowNo && other.devices.some((id) => devices.has(id)))
    .slice(0, MAX_RELATED)
    .map(({ rowNo, sourceId }) => ({ rowNo, sourceId }));
}

/** What the page's devices hold, and who else is about those in conflict: only where rows of the page need it. */
async function loadContext(
  tx: Tx,
  plan: LoadedPlan,
  page: readonly ResultRow[],
): Promise<Pick<Context, "held" | "about">> {
  const own = page.flatMap((row) => row.deviceId ?? row.pickedDeviceId ?? []);
  const disputed = page.flatMap((row) => (row.outcome === "identity_conflict" ? (row.candidates ?? []) : []));
  return {
    held: await loadValues(tx, plan, { deviceIds: [...new Set(own)], lock: false }),
    about: disputed.length > 0 ? await readRowsAbout(tx, plan.importId, [...new Set(disputed)]) : [],
  };
}

function toRow(row: ResultRow, { plan, found, devices, held, about }: Context): ImportRow {
  const { hostname } = plan.identifiers;
  const holds = held.get(row.deviceId ?? row.pickedDeviceId ?? "");
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
    related: relatedTo(row, about),
    cells: plan.fields.map((field, i) => {
      const text = row.cells[field.column] ?? "";
      const outcome = outcomeOfCode(row.codes[i] ?? VALUE_CODES.none);
      const reason = outcome === "invalid" ? invalidReason(field, text) : null;
      const now = holds?.[i] ?? null;
      return {
        fieldId: field.fieldId,
        column: field.column,
        text: field.secret && text ? MASK : text,
        held: field.secret && now !== null ? MASK : now,
        outcome,
        reason,
        isSecret: field.secret,
      };
    }),
  };
}

/** Rows of which an identifier or a value that is no secret contains a text, in any case. */
function matching(text: string, { identifiers, fields }: LoadedPlan): SQL {
  const open = fields.flatMap(({ column, secret }) => (secret ? [] : [column]));
  const columns = [...Object.values(identifiers), ...open].flatMap((column) => column ?? []);
  return sql`AND EXISTS (
    SELECT 1 FROM custom_field_import_rows s
    CROSS JOIN LATERAL unnest(${`{${columns.join(",")}}`}::int[]) AS wanted(column_no)
    WHERE s.import_id = r.import_id AND s.row_no = r.row_no
      AND strpos(lower(s.cells ->> wanted.column_no), lower(${text})) > 0)`;
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
      const bySearch = input.search ? matching(input.search, plan) : sql``;
      const { cursor, limit } = input;
      const page = await readResults(tx, found.id, {
        after: cursor ?? 0,
        limit,
        only: sql`${byOutcome} ${byValue} ${bySearch}`,
      });
      const devices = await nameDevices(tx, scope.orgIds, page);
      const last = page.length === input.limit ? page.at(-1)?.rowNo : undefined;
      const context = { plan, found, devices, ...(await loadContext(tx, plan, page)) };
      return { rows: page.map((row) => toRow(row, context)), nextCursor: last ?? null };
    });
  },
});
