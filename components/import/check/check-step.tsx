"use client";

import { Button, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { counted } from "@/components/format/amounts";
import { ChoiceMapper } from "@/components/import/fields/choice-mapper";
import { NotSaved, useFaults } from "@/components/import/fields/faults";
import fieldsClasses from "@/components/import/fields/fields.module.css";
import classes from "@/components/import/import.module.css";
import { JobProgress } from "@/components/import/job-progress";
import type { StepProps } from "@/components/import/steps";
import { useChange } from "@/components/import/use-change";
import { useTRPC } from "@/components/trpc";
import { errorText, Message, Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import type { CheckReport } from "@/server/custom-fields/import/outcome-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { CheckResult } from "./check-result";
import { sumOf, writesOf } from "./sentence";

/** Effects of the run, as counted by the check. */
function RunSummary({ state, check }: { state: ImportState; check: CheckReport }) {
  const { overwrite, clear } = sumOf(check);
  const writes = writesOf(check);
  const { ambiguous, identity_conflict, not_found, unreadable } = check.rows;
  const left = identity_conflict + not_found + unreadable;
  const created = state.plan?.fields.filter((field) => field.action === "create").length ?? 0;
  const { devices, sourceIds, picked } = check.writes;
  const skipped = ambiguous - picked;
  return (
    <Stack gap="sm" className={classes.pad}>
      <ul className="tm-bullets">
        {created > 0 && <li>{counted(created, "field")} will be created.</li>}
        {writes > 0 && (
          <li>
            {counted(writes, "value")} will be written to {counted(devices, "device")}
            {overwrite > 0 ? `, ${counted(overwrite, "of them overwrites", "of them overwrite")} another value` : ""}
            {clear > 0 ? `, ${counted(clear, "is cleared", "are cleared")}` : ""}.
          </li>
        )}
        {sourceIds > 0 && <li>{counted(sourceIds, "source ID")} will be recorded for later imports.</li>}
        {picked > 0 && (
          <li>{counted(picked, "ambiguous row is", "ambiguous rows are")} applied to the device that was picked.</li>
        )}
        {skipped > 0 && (
          <li>{counted(skipped, "ambiguous row is", "ambiguous rows are")} skipped unless you pick a device.</li>
        )}
        {left > 0 && (
          <li>
            {counted(left, "row is", "rows are")} left alone: no device was found, the row contradicts another one or
            what is recorded, or it could not be read.
          </li>
        )}
      </ul>
      {writes === 0 && <Message tone="warn">There is no value to write. The counts above say why.</Message>}
    </Stack>
  );
}

/** Unknown choices of dropdown fields, which can be mapped from within the check. */
function UnknownInCheck({ state, draft }: Pick<StepProps, "state" | "draft">) {
  const faults = useFaults(state, draft.plan);
  const found = draft.plan.fields.flatMap((field) => {
    const unknown = field.action === "skip" ? null : faults.unknownChoices(field.column);
    const column = state.columns[field.column];
    return unknown && column ? [{ field, unknown, column }] : [];
  });
  if (found.length === 0) return null;
  return (
    <Section
      title="Values that match no choice of their field"
      lead="Map each value to a choice, add it as a choice or leave it out, then check again. Nothing is guessed."
      flush
    >
      <ul className={fieldsClasses.fields} aria-label="Fields with values that match none of their choices">
        {found.map(({ field, unknown, column }) => (
          <li key={field.column}>
            <div className={fieldsClasses.source}>
              <strong>{column.title}</strong>
            </div>
            <ChoiceMapper
              title={column.title}
              field={field}
              filled={column.filled}
              unknown={unknown}
              onChange={(part) => draft.changeField(field.column, part)}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The dry run: what the import would do with every row and value. */
export function CheckStep({ state, draft, onStep }: StepProps) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { scope, show } = useChange(state.id);
  const again = useMutation(trpc.imports.check.mutationOptions({ scope, onSuccess: show }));
  // Saves pending changes of the mapping first; if that fails, the draft reports why.
  const checkAgain = async () => {
    await draft.flush();
    again.mutate({ id: state.id });
  };
  const run = useMutation(
    trpc.imports.run.mutationOptions({
      scope,
      onSuccess: async (next) => {
        show(next);
        onStep("run");
        await cache.invalidateQueries(trpc.customFields.pathFilter());
      },
      // Another user may have changed the import: show the changes, to be reviewed before the run.
      onError: () =>
        Promise.all([
          cache.invalidateQueries(trpc.imports.get.queryFilter({ id: state.id })),
          cache.invalidateQueries(trpc.imports.rows.pathFilter()),
        ]),
    }),
  );
  const mayRun = state.status === "checked";
  const isStale = state.status === "staged" && !state.job;
  const check = state.summary.run ?? state.summary.check;
  if (state.job?.name === "check") return <JobProgress id={state.id} job={state.job} />;
  return (
    <>
      {again.error && <Message tone="bad">{errorText(again.error)}</Message>}
      <NotSaved draft={draft} state={state} />
      {isStale && (
        <Notice
          title={check ? "The import has changed since the check" : "Not checked yet"}
          action={
            <Button type="submit" onClick={() => void checkAgain().catch(() => {})} loading={again.isPending}>
              Check all rows
            </Button>
          }
        >
          The check reads every row and writes nothing.
        </Notice>
      )}
      {!isStale && check && <CheckResult state={state} tally={check} />}
      {(mayRun || isStale) && <UnknownInCheck state={state} draft={draft} />}
      {mayRun && state.summary.check && <RunSummary state={state} check={state.summary.check} />}
      {mayRun && (
        <div className={classes.foot}>
          <Button
            type="submit"
            onClick={() => run.mutate({ id: state.id, revision: state.revision })}
            loading={run.isPending}
          >
            Run import
          </Button>
          <Button variant="default" onClick={() => void checkAgain().catch(() => {})} loading={again.isPending}>
            Check again
          </Button>
          <span className={classes.quiet}>The import can be undone.</span>
          {run.error && <Message tone="bad">{errorText(run.error)}</Message>}
        </div>
      )}
    </>
  );
}
