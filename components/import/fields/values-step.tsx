"use client";

import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import shared from "@/components/import/import.module.css";
import type { PlanDraft } from "@/components/import/plan-draft";
import type { StepProps } from "@/components/import/steps";
import { useChange } from "@/components/import/use-change";
import { useTRPC } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import { fieldColumns } from "./columns";
import { type Faults, useFaults } from "./faults";
import classes from "./fields.module.css";
import { IDENTIFIERS, IdentifierSelect } from "./identifier-select";
import { NotSaved } from "./not-saved";
import { useTargets } from "./target-select";
import { ValueRow } from "./value-row";

/** Selects the identifying columns and how values are written. */
export function ValuesStep({ draft, ...props }: StepProps) {
  return draft && <Mapping {...props} draft={draft} />;
}

function Mapping({ state, onStep, draft }: StepProps & { draft: PlanDraft }) {
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
        lead="Choose at least one of the first two. A row that does not match exactly one device is reported, never guessed."
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
      {check.error && (
        <div className={shared.error}>
          <Message tone="bad">{errorText(check.error)}</Message>
        </div>
      )}
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

type ValuesProps = Pick<StepProps, "state"> & { draft: PlanDraft; faults: Faults; guesses: Record<number, string> };

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
