import { sql } from "drizzle-orm";
import { invalidReason } from "@/server/custom-fields/import/decide/decide-value";
import type { LoadedPlan } from "@/server/custom-fields/import/decide/load-plan";
import { leftOutSecrets } from "@/server/custom-fields/import/map/secret-columns";
import { ROW_OUTCOME_LABELS, VALUE_CODES } from "@/server/custom-fields/import/outcome-schema";
import { REASON_TITLE, UNREADABLE_MARK } from "@/server/custom-fields/import/plan-schema";
import type { ImportRecord } from "@/server/custom-fields/import/record/record";
import type { ResultRow } from "@/server/custom-fields/import/run/tables/results";
import { type Columns, isApplied } from "./columns";

/** Read as no value, by spreadsheets and by the importer. */
const NO_VALUE = "#N/A";

/** The rows that were not applied, or not wholly, as they came, with the reason behind: to be corrected and uploaded again. */
export function rejectedColumns(plan: LoadedPlan, found: ImportRecord): Columns {
  const faults = (row: ResultRow) =>
    plan.fields.flatMap((field, i) =>
      row.codes[i] === VALUE_CODES.invalid
        ? [`${field.name} ${invalidReason(field, row.cells[field.column] ?? "")}`]
        : [],
    );
  const clearing = new Set(plan.fields.flatMap(({ column, clearBlank }) => (clearBlank ? column : [])));
  // A cell without a value comes again as none, where a blank one would clear what the device holds.
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
      // A secret that was left out was not asked for in a file either; one that was chosen must be there to come again.
      const cells = found.columns.map((_, i) => (leftOut.has(i) ? "" : cellOf(row, i)));
      // What is beyond the header comes after the reason, so that the reason is always in its own column.
      return [...cells, [...whyNot(row), ...faults(row)].join("; "), ...row.cells.slice(cells.length)];
    },
  };
}
