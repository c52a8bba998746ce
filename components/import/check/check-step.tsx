"use client";

import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { NotSaved } from "@/components/import/fields/not-saved";
import classes from "@/components/import/import.module.css";
import { JobProgress } from "@/components/import/job-progress";
import type { StepProps } from "@/components/import/steps";
import { useChange } from "@/components/import/use-change";
import { useTRPC } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { errorText, Notice } from "@/components/ui/notice";
import { CheckResult } from "./check-result";
import { RunSummary } from "./run-summary";
import { UnknownInCheck } from "./unknown-choices";

/** The dry run: what the import would do with every row and value. */
export function CheckStep({ state, draft, onStep }: StepProps) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { scope, show } = useChange(state.id);
  const again = useMutation(trpc.imports.check.mutationOptions({ scope, onSuccess: show }));
  // Saves pending changes of the mapping first; if that fails, the draft reports why.
  const checkAgain = async () => {
    await draft?.flush();
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
      {again.error && (
        <div className={classes.error}>
          <Message tone="bad">{errorText(again.error)}</Message>
        </div>
      )}
      {draft && <NotSaved draft={draft} state={state} />}
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
      {(mayRun || isStale) && draft && <UnknownInCheck state={state} draft={draft} />}
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
          <span className={classes.quiet}>Rows are matched again while it runs. The import can be undone.</span>
          {run.error && <Message tone="bad">{errorText(run.error)}</Message>}
        </div>
      )}
    </>
  );
}
