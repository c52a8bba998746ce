"use client";

import { Badge, Button, Select, Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isImportable, type PlanField, type SourceColumn } from "@/server/custom-fields/import/schema";
import { Message } from "../shell/message";
import { errorText } from "../shell/notice";
import { Section } from "../shell/section";
import { useTRPC } from "../trpc";
import { useFaults } from "./faults";
import classes from "./import.module.css";
import { type PlanDraft, usePlanDraft } from "./plan-draft";
import { TargetSelect, usePartnerFields } from "./target-select";
import type { StepProps } from "./wizard";

const IDENTIFIERS = [
  {
    name: "sourceId",
    label: "Source device ID",
    hint: "The computer's ID there. It is recorded, so that a later import finds every device exactly.",
  },
  {
    name: "hostname",
    label: "Hostname",
    hint: "Finds a device whose source ID is not known yet, when it names exactly one.",
  },
  { name: "organization", label: "Organization", hint: "Optional. Only narrows the search, never chooses." },
  { name: "serial", label: "Serial number", hint: "Optional. Only narrows the search, never chooses." },
] as const;

/** Which columns say what computer a row is about, and what happens to the values. */
export function ValuesStep(props: StepProps) {
  const draft = usePlanDraft(props.state);
  return draft && <Values {...props} draft={draft} />;
}

function Values({ state, onStep, draft }: StepProps & { draft: PlanDraft }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const faults = useFaults(state, draft.plan);
  const definitions = usePartnerFields();
  const guesses = useQuery(trpc.imports.guesses.queryOptions({ id: state.id })).data ?? {};
  const check = useMutation(
    trpc.imports.check.mutationOptions({
      onSuccess: (next) => {
        cache.setQueryData(trpc.imports.get.queryKey({ id: state.id }), next);
        onStep("check");
      },
      onError: () => cache.invalidateQueries(trpc.imports.faults.queryFilter({ id: state.id })),
    }),
  );
  const identifiers = new Set(Object.values(draft.plan.identifiers));
  const rows = draft.plan.fields.filter((field) => {
    const column = state.columns[field.column];
    return column && isImportable(column) && !identifiers.has(field.column);
  });
  return (
    <>
      <Section
        title="Which computer a row is about"
        lead="At least one of the first two. A row that does not come to exactly one device is reported, never guessed."
      >
        <div className={classes.identifiers}>
          {IDENTIFIERS.map(({ name, label, hint }) => (
            <IdentifierSelect
              key={name}
              name={name}
              label={label}
              hint={hint}
              columns={state.columns}
              draft={draft}
              guesses={guesses}
              error={faults.ofIdentifier(name)}
            />
          ))}
        </div>
        {faults.general.map((text) => (
          <Message key={text} tone="bad">
            {text}
          </Message>
        ))}
      </Section>
      <Section
        title="What happens to the values"
        lead="A value that a device holds already is left alone, and a blank cell too, unless switched on here."
        flush
      >
        <ul className={classes.fields} aria-label="Columns and the fields they go to">
          {rows.map((field) => (
            <ValueRow
              key={field.column}
              column={state.columns[field.column] as SourceColumn}
              field={field}
              draft={draft}
              isGuess={guesses[field.column] === "guess"}
            >
              <TargetSelect
                title={state.columns[field.column]?.title ?? ""}
                field={field}
                plan={draft.plan}
                definitions={definitions}
                error={faults.ofColumn(field.column)}
                onChange={(part) => draft.changeField(field.column, part)}
              />
            </ValueRow>
          ))}
        </ul>
      </Section>
      {check.error && (
        <div className={classes.error}>
          <Message tone="bad">{errorText(check.error)}</Message>
        </div>
      )}
      <div className={classes.foot}>
        <Button
          type="submit"
          loading={check.isPending}
          onClick={() => void draft.flush().then(() => check.mutate({ id: state.id }))}
        >
          Check all rows
        </Button>
        <span className={classes.quiet}>The check writes nothing.</span>
      </div>
    </>
  );
}

type IdentifierProps = {
  name: (typeof IDENTIFIERS)[number]["name"];
  label: string;
  hint: string;
  columns: SourceColumn[];
  draft: PlanDraft;
  guesses: Record<number, string>;
  error: string | null;
};

function IdentifierSelect({ name, label, hint, columns, draft, guesses, error }: IdentifierProps) {
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
      description={isGuess ? "A guess from a similar header: look at it. " : hint}
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

type ValueRowProps = {
  column: SourceColumn;
  field: PlanField;
  draft: PlanDraft;
  isGuess: boolean;
  children: React.ReactNode;
};

function ValueRow({ column, field, draft, isGuess, children }: ValueRowProps) {
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
        {isActive && <span className={classes.quiet}>to {field.name}</span>}
      </div>
      <div className={classes.target}>
        {children}
        {isActive && (
          <div className={classes.switches}>
            <Switch
              size="sm"
              label="Overwrite other values"
              aria-label={`Overwrite other values of ${field.name}`}
              checked={field.overwrite}
              onChange={(event) => draft.changeField(field.column, { overwrite: event.currentTarget.checked })}
            />
            <Switch
              size="sm"
              label="Blank cells clear"
              aria-label={`Blank cells clear ${field.name}`}
              checked={field.clearBlank}
              onChange={(event) => draft.changeField(field.column, { clearBlank: event.currentTarget.checked })}
            />
          </div>
        )}
      </div>
    </li>
  );
}
