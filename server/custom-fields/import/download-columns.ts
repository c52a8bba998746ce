import { type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { devices } from "@/db/schema";
import { type FieldValue, MASK } from "@/server/custom-fields/schema";
import type { Cell } from "@/server/ground/csv";
import { lastHeard } from "@/server/ground/last-heard";
import { type ActiveField, fittingValue, invalidReason } from "./decide/decide-value";
import type { LoadedPlan } from "./decide/load-plan";
import { leftOutSecrets } from "./map/mapping";
import {
  type Candidate,
  MATCHED_OUTCOMES,
  outcomeOfCode,
  ROW_OUTCOME_LABELS,
  VALUE_CODES,
  VALUE_OUTCOME_LABELS,
} from "./outcome-schema";
import { REASON_TITLE, UNREADABLE_MARK } from "./plan-schema";
import type { ImportRecord } from "./record";
import type { HeldBefore } from "./run/held-before";
import { type RowsAbout, relatedTo } from "./run/related-rows";
import type { Result, ResultRow } from "./run/tables/results";

/** True if the run has applied the row. */
export const isApplied = (row: ResultRow, found: ImportRecord): boolean =>
  row.rowNo <= found.appliedThrough &&
  (MATCHED_OUTCOMES.includes(row.outcome) || (row.outcome === "ambiguous" && row.pickedDeviceId !== null));

/** Layout of a row download. */
export type Columns = {
  header: string[];
  only: SQL;
  /** True if cells depend on the rows' devices, which are then looked up. */
  hasDevices: boolean;
  row: (row: ResultRow, known: Known) => Cell[];
};
/** Data loaded for a page of rows. */
export type Known = { names: DeviceNames; held: HeldBefore; about: RowsAbout };

export type DeviceNames = ReadonlyMap<string, Candidate>;

/** Devices in reach named by results, by id, with distinguishing facts. */
export async function nameDevices(tx: Tx, orgIds: readonly string[], results: readonly Result[]): Promise<DeviceNames> {
  const ids = new Set<string>();
  for (const { deviceId, candidates, pickedDeviceId } of results)
    for (const id of [deviceId, pickedDeviceId, ...(candidates ?? [])]) if (id) ids.add(id);
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

const asText = (value: FieldValue | null): string =>
  value === null ? "" : typeof value === "boolean" ? (value ? "Yes" : "No") : String(value);

/** A cell of the file, the device's former value, the field's new value, and the outcome; secrets masked. */
function valueCells(field: ActiveField, { text, code, held }: { text: string; code: string; held: FieldValue | null }) {
  const outcome = outcomeOfCode(code);
  const shown = (value: string) => (field.secret && value !== "" ? MASK : value);
  const reason = outcome === "invalid" ? `: the value ${invalidReason(field, text)}` : "";
  return [
    shown(text),
    shown(asText(held)),
    shown(asText(fittingValue(field, text, outcome))),
    `${VALUE_OUTCOME_LABELS[outcome]}${reason}`,
  ];
}

/** All known about each row: the device's value against the file's, and contradicting rows. */
export function outcomeColumns(plan: LoadedPlan, found: ImportRecord): Columns {
  const { hostname } = plan.identifiers;
  return {
    header: [
      "File",
      "Sheet",
      "Line",
      "Outcome",
      "Reason",
      "Other rows",
      "Applied",
      "Source device ID",
      "Hostname",
      "Device",
      "Device ID",
      ...plan.fields.flatMap(({ name }) => [name, `${name} (held)`, `${name} (new)`, `${name} (outcome)`]),
    ],
    only: sql``,
    hasDevices: true,
    row: (row, { names, held, about }) => {
      const device = row.deviceId ?? row.pickedDeviceId;
      const file = found.files[row.fileNo];
      return [
        file?.name ?? "",
        (file?.format?.kind === "workbook" && file.format.sheet) || "",
        row.line,
        ROW_OUTCOME_LABELS[row.outcome],
        row.reason ?? "",
        relatedTo(row, about, found.files)
          .map(({ place, sourceId }) => `${place}${sourceId === null ? "" : ` (ID ${sourceId})`}`)
          .join("; "),
        isApplied(row, found) ? "yes" : "no",
        row.sourceId ?? "",
        hostname === null ? "" : (row.cells[hostname] ?? ""),
        (device && names.get(device)?.hostname) || "",
        device ?? "",
        ...plan.fields.flatMap((field, i) =>
          valueCells(field, {
            text: row.cells[field.column] ?? "",
            code: row.codes[i] ?? VALUE_CODES.none,
            held: held(row, i),
          }),
        ),
      ];
    },
  };
}

/** Spreadsheets and the importer read it as no value. */
const NO_VALUE = "#N/A";

/** Rows not fully applied, unchanged plus the reason, to be corrected and uploaded again. */
export function rejectedColumns(plan: LoadedPlan, found: ImportRecord): Columns {
  const faults = (row: ResultRow) =>
    plan.fields.flatMap((field, i) =>
      row.codes[i] === VALUE_CODES.invalid
        ? [`${field.name} ${invalidReason(field, row.cells[field.column] ?? "")}`]
        : [],
    );
  const clearing = new Set(plan.fields.flatMap(({ column, clearBlank }) => (clearBlank ? column : [])));
  // A missing value is written as no value, because a blank would clear the device's value.
  const cellOf = (row: ResultRow, i: number) => row.cells[i] ?? (clearing.has(i) ? NO_VALUE : "");
  const leftOut = new Set(leftOutSecrets(found));
  const whyNot = (row: ResultRow) => {
    if (isApplied(row, found)) return [];
    return row.outcome === "unreadable"
      ? [`${UNREADABLE_MARK}it ${row.reason}. Correct the row, then empty this cell`]
      : [row.reason ?? ROW_OUTCOME_LABELS[row.outcome]];
  };
  return {
    header: [...found.columns.map((column) => column.title), REASON_TITLE],
    only: sql`AND (r.row_no > ${found.appliedThrough} OR strpos(r.codes, ${VALUE_CODES.invalid}) > 0
      OR NOT (r.outcome LIKE 'matched%' OR (r.outcome = 'ambiguous' AND r.picked_device_id IS NOT NULL)))`,
    hasDevices: false,
    row: (row) => {
      // Secrets left out of the import are left out of the file too; chosen ones are needed to upload it again.
      const cells = found.columns.map((_, i) => (leftOut.has(i) ? "" : cellOf(row, i)));
      // Cells beyond the header come after the reason, which keeps its own column.
      return [...cells, [...whyNot(row), ...faults(row)].join("; "), ...row.cells.slice(cells.length)];
    },
  };
}
