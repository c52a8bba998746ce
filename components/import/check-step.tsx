"use client";

import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryStates } from "nuqs";
import {
  type ImportState,
  ROW_OUTCOME_LABELS,
  ROW_OUTCOMES,
  type RowOutcome,
  type Tally,
  VALUE_OUTCOME_LABELS,
  VALUE_OUTCOMES,
  type ValueOutcome,
} from "@/server/custom-fields/import/schema";
import { count } from "../shell/amounts";
import { Message } from "../shell/message";
import { errorText, Notice } from "../shell/notice";
import { Section } from "../shell/section";
import { useTRPC } from "../trpc";
import { CheckTable } from "./check-table";
import { FieldTally } from "./field-tally";
import classes from "./import.module.css";
import { JobProgress } from "./job-progress";
import type { StepProps } from "./wizard";

const MEANING: Partial<Record<RowOutcome, string>> = {
  not_found:
    "No device here answers to these computers. That is normal: an inventory keeps machines that were retired long ago, and devices without an agent are not here yet.",
  ambiguous: "More than one device could be meant. Open a row to pick the right one; the others are left alone.",
  identity_conflict:
    "The file and what is recorded here contradict each other. These rows are reported, never applied.",
  unreadable: "These rows do not have as many cells as the header. Fix them in the file and send them again.",
};

/** The dry run: what would happen to every row and value. */
export function CheckStep({ state, onStep }: StepProps) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const again = useMutation(
    trpc.imports.check.mutationOptions({
      onSuccess: (next) => cache.setQueryData(trpc.imports.get.queryKey({ id: state.id }), next),
    }),
  );
  const mayRun = state.status === "checked";
  const isStale = state.status === "staged" && !state.job;
  const check = state.summary.run ?? state.summary.check;
  if (state.job?.name === "check") return <JobProgress id={state.id} job={state.job} />;
  return (
    <>
      {again.error && (
        <div className={classes.error}>
          <Message tone="bad">{errorText(again.error)}</Message>
        </div>
      )}
      {isStale && (
        <Notice
          title={check ? "The mapping has changed since the check" : "Not checked yet"}
          action={
            <Button type="submit" onClick={() => again.mutate({ id: state.id })} loading={again.isPending}>
              Check all rows
            </Button>
          }
        >
          The check goes over every row and writes nothing.
        </Notice>
      )}
      {!isStale && check && <Result state={state} tally={check} />}
      {mayRun && (
        <div className={classes.foot}>
          <Button type="submit" onClick={() => onStep("run")}>
            Go on to the run
          </Button>
          <Button variant="default" onClick={() => again.mutate({ id: state.id })} loading={again.isPending}>
            Check again
          </Button>
        </div>
      )}
    </>
  );
}

function Result({ state, tally }: { state: ImportState; tally: Tally }) {
  const [filter, setFilter] = useQueryStates({
    rows: parseAsStringLiteral(ROW_OUTCOMES),
    values: parseAsStringLiteral(VALUE_OUTCOMES),
  });
  const values = Object.fromEntries(
    VALUE_OUTCOMES.map((name) => [name, tally.fields.reduce((sum, field) => sum + field[name], 0)]),
  ) as Record<ValueOutcome, number>;
  return (
    <>
      <Section title="Rows">
        <Chips
          label="Rows by outcome"
          items={ROW_OUTCOMES.map((name) => ({ name, label: ROW_OUTCOME_LABELS[name], n: tally.rows[name] }))}
          chosen={filter.rows}
          onChoose={(rows) => void setFilter({ rows })}
        />
        {filter.rows && MEANING[filter.rows] && <p className={classes.quiet}>{MEANING[filter.rows]}</p>}
      </Section>
      <Section title="Values">
        <Chips
          label="Values by outcome"
          items={VALUE_OUTCOMES.map((name) => ({ name, label: VALUE_OUTCOME_LABELS[name], n: values[name] }))}
          chosen={filter.values}
          onChoose={(chosen) => void setFilter({ values: chosen })}
        />
        <FieldTally state={state} fields={tally.fields} />
      </Section>
      <CheckTable state={state} outcome={filter.rows} value={filter.values} />
    </>
  );
}

type ChipProps<T extends string> = {
  label: string;
  items: { name: T; label: string; n: number }[];
  chosen: T | null;
  onChoose: (name: T | null) => void;
};

/** Counts that narrow the table below; choosing one again shows all. */
function Chips<T extends string>({ label, items, chosen, onChoose }: ChipProps<T>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form; these narrow a table
    <div className={classes.chips} role="group" aria-label={label}>
      {items
        .filter(({ n, name }) => n > 0 || name === chosen)
        .map(({ name, label: text, n }) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === chosen}
            onClick={() => onChoose(name === chosen ? null : name)}
          >
            <span>{text}</span>
            <strong className="tm-figures">{count(n)}</strong>
          </button>
        ))}
    </div>
  );
}
