import { count } from "@/components/format/amounts";
import { type Column, RecordTable } from "@/components/ui/record-table";
import {
  type FieldCounts,
  VALUE_OUTCOME_LABELS,
  type ValueOutcome,
} from "@/server/custom-fields/import/outcome-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";
import classes from "./check.module.css";

const SHOWN: ValueOutcome[] = ["set", "overwrite", "clear", "same", "kept", "invalid", "left_out", "empty"];

/** Counts per field; outcomes that do not occur are omitted. */
export function FieldTally({ state, fields }: { state: ImportState; fields: readonly FieldCounts[] }) {
  const names = new Map(state.plan?.fields.map((field) => [field.fieldId, field.name]));
  const outcomes = SHOWN.filter((name) => fields.some((field) => field[name] > 0));
  if (outcomes.length === 0) return null;
  const columns: Column<FieldCounts>[] = [
    { header: "Field", cell: (field) => names.get(field.fieldId) ?? "Deleted field" },
    ...outcomes.map((name) => ({
      header: VALUE_OUTCOME_LABELS[name],
      width: 104,
      align: "figure" as const,
      cell: (field: FieldCounts) => (
        <span
          className={classes.figure}
          data-zero={field[name] === 0 || undefined}
          data-bad={(name === "invalid" && field[name] > 0) || undefined}
        >
          {count(field[name])}
        </span>
      ),
    })),
  ];
  return <RecordTable caption="Values by field" columns={columns} rows={[...fields]} rowKey={(f) => f.fieldId} />;
}
