"use client";

import { Badge, Button, Select, Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { memo } from "react";
import shared from "@/components/import/import.module.css";
import type { PlanDraft } from "@/components/import/plan-draft";
import type { StepProps } from "@/components/import/steps";
import { useChange } from "@/components/import/use-change";
import { useTRPC } from "@/components/trpc";
import { errorText, Message } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import {
  IDENTIFIER_LABELS,
  IDENTIFIERS,
  type Identifier,
  isImportable,
  type PlanField,
  type SourceColumn,
} from "@/server/custom-fields/import/plan-schema";
import { type Faults, fieldColumns, NotSaved, useFaults } from "./faults";
import classes from "./fields.module.css";
import { TargetSelect, type Targets, useTargets } from "./target-select";

type ValueRowProps = {
  column: SourceColumn;
  field: PlanField;
  targets: Targets;
  fault: string | null;
  isGuess: boolean;
} & Pick<PlanDraft, "getPlan" | "changeField">;

/** One column: its target, and what happens when the device already has a value or the cell is blank. */
const ValueRow = memo(function ValueRow(props: ValueRowProps) {
  const { column, field, targets, fault, isGuess, getPlan, changeField } = props;
  const change = (part: Partial<PlanField>) => changeField(field.column, part);
  const isActive = field.action !== "skip";
  return (
    <li data-left={!isActive || undefined}>
      <div className={classes.source}>
        <strong>{column.title}</strong>
        {isGuess && field.action === "existing" && (
          <Badge size="sm" variant="light" color="yellow">
            Guess
          </Badge>
        )}
        {isActive && field.name !== column.title && <span className={shared.quiet}>to {field.name}</span>}
      </div>
      <div className={classes.value}>
        <TargetSelect
          column={column}
          field={field}
          targets={targets}
          getPlan={getPlan}
          error={fault}
          onChange={change}
        />
        {field.action === "create" && <span className={shared.quiet}>New: no device holds a value of it yet</span>}
        {field.action === "existing" && (
          <>
            <Switch
              size="sm"
              label="Overwrite other values"
              aria-label={`Overwrite other values of ${field.name}`}
              checked={field.overwrite}
              onChange={(event) => change({ overwrite: event.currentTarget.checked })}
            />
            <Switch
              size="sm"
              label="Blank cells clear the value"
              aria-label={`Blank cells clear the value of ${field.name}`}
              checked={field.clearBlank}
              onChange={(event) => change({ clearBlank: event.currentTarget.checked })}
            />
          </>
        )}
      </div>
    </li>
  );
});

const HINT: Record<Identifier, string> = {
  sourceId: "The computer's ID in the source product. It is recorded, so that later imports find each device exactly.",
  hostname: "Finds a device whose source ID is not recorded yet, if it names exactly one.",
  organization: "Optional. Only narrows the search, never chooses.",
  serial: "Optional. Only narrows the search, never chooses.",
};

type IdentifierProps = {
  name: Identifier;
  columns: SourceColumn[];
  draft: PlanDraft;
  guesses: Record<number, string>;
  error: string | null;
};

/** The column of one identifier; columns of other identifiers cannot be selected. */
function IdentifierSelect({ name, columns, draft, guesses, error }: IdentifierProps) {
  const label = IDENTIFIER_LABELS[name];
  const { plan, change } = draft;
  const value = plan.identifiers[name];
  const others = new Set(Object.entries(plan.identifiers).flatMap(([key, column]) => (key === name ? [] : [column])));
  const data = columns
    .filter(isImportable)
    .map((column) => ({ value: String(column.index), label: column.title, disabled: others.has(column.index) }));
  const set = (next: string | null) => {
    const column = next === null ? null : Number(next);
    const fields = plan.fields.map((field) =>
      field.column === column ? { ...field, action: "skip" as const } : field,
    );
    change({ identifiers: { ...plan.identifiers, [name]: column }, fields });
  };
  const isGuess = value !== null && guesses[value] === "guess";
  return (
    <Select
      label={label}
      description={isGuess ? "Guessed from a similar header: please check. " : HINT[name]}
      placeholder="No column"
      data={data}
      value={value === null ? null : String(value)}
      onChange={set}
      searchable
      clearable
      clearButtonProps={{ "aria-label": `No column for ${label}` }}
      error={error}
    />
  );
}

/** Selects the identifying columns and how values are written. */
export function ValuesStep({ state, onStep, draft }: StepProps) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { scope, show } = useChange(state.id);
  const faults = useFaults(state, draft.plan);
  const guesses = useQuery(trpc.imports.guesses.queryOptions({ id: state.id })).data ?? {};
  const check = useMutation(
    trpc.imports.check.mutationOptions({
      scope,
      onSuccess: (next) => {
        show(next);
        onStep("check");
      },
      onError: () => cache.invalidateQueries(trpc.imports.faults.queryFilter({ id: state.id })),
    }),
  );
  return (
    <>
      <Section
        title="How rows are matched to devices"
        lead="Choose at least one of the first two. Rows that match no device, or several, are skipped and listed."
      >
        <div className={classes.identifiers}>
          {IDENTIFIERS.map((name) => (
            <IdentifierSelect
              key={name}
              name={name}
              columns={state.columns}
              draft={draft}
              guesses={guesses}
              error={faults.identifierFault(name)}
            />
          ))}
        </div>
        {faults.general.map((text) => (
          <Message key={text} tone="bad">
            {text}
          </Message>
        ))}
      </Section>
      <Values state={state} draft={draft} faults={faults} guesses={guesses} />
      {check.error && <Message tone="bad">{errorText(check.error)}</Message>}
      <div className={shared.foot}>
        <Button
          type="submit"
          loading={check.isPending}
          onClick={() => void draft.flush().then(() => check.mutate({ id: state.id }))}
        >
          Check all rows
        </Button>
        <span className={shared.quiet}>The check writes nothing.</span>
        <NotSaved draft={draft} state={state} />
      </div>
    </>
  );
}

type ValuesProps = Pick<StepProps, "state" | "draft"> & { faults: Faults; guesses: Record<number, string> };

function Values({ state, draft, faults, guesses }: ValuesProps) {
  const targets = useTargets(draft.plan);
  return (
    <Section
      title="What happens to the values"
      lead="Values that a device already holds, and blank cells, are left alone unless switched on here."
      flush
    >
      <ul className={classes.fields} aria-label="Columns and the fields they go to">
        {fieldColumns(state, draft.plan).map(({ field, column }) => (
          <ValueRow
            key={field.column}
            column={column}
            field={field}
            targets={targets}
            fault={faults.columnFault(field.column)}
            isGuess={guesses[field.column] === "guess"}
            getPlan={draft.getPlan}
            changeField={draft.changeField}
          />
        ))}
      </ul>
    </Section>
  );
}
