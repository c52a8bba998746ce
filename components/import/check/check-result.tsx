"use client";

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import shared from "@/components/import/import.module.css";
import { SearchField } from "@/components/ui/search-field";
import { Section } from "@/components/ui/section";
import {
  ROW_OUTCOME_LABELS,
  ROW_OUTCOMES,
  type RowOutcome,
  type Tally,
  VALUE_OUTCOME_LABELS,
  VALUE_OUTCOMES,
} from "@/server/custom-fields/import/outcome-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";
import classes from "./check.module.css";
import { CheckTable } from "./check-table";
import { FieldTally } from "./field-tally";
import { FixValues } from "./fix-values";
import { OutcomeChips } from "./outcome-chips";
import { sentenceOf, sumOf } from "./sentence";
import { ROW_TONE, VALUE_TONE } from "./tones";

const MEANING: Partial<Record<RowOutcome, string>> = {
  not_found:
    "No device matches these computers. This is normal: inventories keep machines that were retired long ago, and devices without an agent are not listed here yet.",
  ambiguous: "More than one device matches. Open a row to pick the right one; rows without a pick are skipped.",
  identity_conflict:
    "The file and what is recorded here contradict each other. These rows are reported, never applied.",
  unreadable: "Each of these rows says why it could not be read. Correct them in the file and upload it again.",
};

/** The result of a check or run: one sentence, counts that filter the table, the rows, and totals per field. */
export function CheckResult({ state, tally }: { state: ImportState; tally: Tally }) {
  const [filter, setFilter] = useQueryStates({
    rows: parseAsStringLiteral(ROW_OUTCOMES),
    values: parseAsStringLiteral(VALUE_OUTCOMES),
    search: parseAsString.withDefault(""),
  });
  const values = sumOf(tally);
  return (
    <>
      <p className={shared.lead} role="status">
        {sentenceOf(state, tally)}
      </p>
      <div className={classes.outcomes}>
        <OutcomeChips
          label="Rows"
          items={ROW_OUTCOMES.map((name) => ({
            name,
            tone: ROW_TONE[name],
            label: ROW_OUTCOME_LABELS[name],
            n: tally.rows[name],
          }))}
          chosen={filter.rows}
          onChoose={(rows) => void setFilter({ rows })}
        />
        <OutcomeChips
          label="Values"
          items={VALUE_OUTCOMES.map((name) => ({
            name,
            tone: VALUE_TONE[name],
            label: VALUE_OUTCOME_LABELS[name],
            n: values[name],
          }))}
          chosen={filter.values}
          onChoose={(chosen) => void setFilter({ values: chosen })}
        />
        {filter.rows && MEANING[filter.rows] && <p className={shared.quiet}>{MEANING[filter.rows]}</p>}
      </div>
      {state.status === "checked" && <FixValues state={state} />}
      <div className={classes.search}>
        <SearchField
          label="Search rows by computer, ID or value"
          value={filter.search}
          onSearch={(search) => void setFilter({ search: search || null })}
        />
      </div>
      <CheckTable state={state} outcome={filter.rows} value={filter.values} search={filter.search} />
      <Section title="Values by field" flush>
        <FieldTally state={state} fields={tally.fields} />
      </Section>
    </>
  );
}
