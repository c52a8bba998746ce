import { sql } from "drizzle-orm";
import { type ActiveField, fittingValue, invalidReason } from "@/server/custom-fields/import/decide/decide-value";
import type { LoadedPlan } from "@/server/custom-fields/import/decide/load-plan";
import {
  outcomeOfCode,
  ROW_OUTCOME_LABELS,
  VALUE_CODES,
  VALUE_OUTCOME_LABELS,
} from "@/server/custom-fields/import/outcome-schema";
import type { ImportRecord } from "@/server/custom-fields/import/record/record";
import { relatedTo } from "@/server/custom-fields/import/run/related-rows";
import { type FieldValue, MASK } from "@/server/custom-fields/schema";
import { type Columns, isApplied } from "./columns";

/** A value as people read it. */
const asText = (value: FieldValue | null): string =>
  value === null ? "" : typeof value === "boolean" ? (value ? "Yes" : "No") : String(value);

/** A cell of the file, what the device held, what the field would hold of the cell, and the outcome; secrets masked. */
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

/** Everything that is known of each row: what its device held against what the file says, and the rows that contradict it. */
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
