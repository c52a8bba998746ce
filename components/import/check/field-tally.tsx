import { count } from "@/components/format/amounts";
import shared from "@/components/import/import.module.css";
import {
  type FieldCounts,
  type ImportState,
  VALUE_OUTCOME_LABELS,
  type ValueOutcome,
} from "@/server/custom-fields/import/schema";
import classes from "./check.module.css";

const SHOWN: ValueOutcome[] = ["set", "overwrite", "clear", "same", "kept", "invalid", "left_out", "empty"];

/** Counts per field; outcomes that no field has are left out. */
export function FieldTally({ state, fields }: { state: ImportState; fields: readonly FieldCounts[] }) {
  const names = new Map(state.plan?.fields.map((field) => [field.fieldId, field.name]));
  const outcomes = SHOWN.filter((name) => fields.some((field) => field[name] > 0));
  if (outcomes.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={shared.scroll} tabIndex={0} aria-label="Table of values by field">
      <table className={`${shared.table} ${classes.tally}`}>
        <caption className={shared.hidden}>Values by field</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            {outcomes.map((name) => (
              <th scope="col" key={name}>
                {VALUE_OUTCOME_LABELS[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field.fieldId}>
              <th scope="row">{names.get(field.fieldId) ?? "Deleted field"}</th>
              {outcomes.map((name) => (
                <td
                  key={name}
                  data-zero={field[name] === 0 || undefined}
                  data-bad={(name === "invalid" && field[name] > 0) || undefined}
                >
                  {count(field[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
