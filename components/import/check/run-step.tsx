"use client";

import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { counted } from "@/components/format/amounts";
import classes from "@/components/import/import.module.css";
import { JobProgress } from "@/components/import/job-progress";
import type { StepProps } from "@/components/import/steps";
import { useTRPC } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";

/** What is about to be written, the button that starts it, and its progress. */
export function RunStep({ state, onStep }: StepProps) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const run = useMutation(
    trpc.imports.run.mutationOptions({
      onSuccess: async (next) => {
        cache.setQueryData(trpc.imports.get.queryKey({ id: state.id }), next);
        await cache.invalidateQueries(trpc.customFields.pathFilter());
      },
    }),
  );
  const hasEnded = state.status === "done" || state.status === "cancelled";
  useEffect(() => {
    if (hasEnded) onStep("report");
  }, [hasEnded, onStep]);
  if (state.job) return <JobProgress id={state.id} job={state.job} />;
  const check = state.summary.check;
  if (!check || state.status !== "checked") return null;
  const sum = (name: "set" | "overwrite" | "clear") => check.fields.reduce((total, field) => total + field[name], 0);
  const matched = check.rows.matched_source_id + check.rows.matched_hostname;
  const { ambiguous, identity_conflict, not_found, unreadable } = check.rows;
  const left = identity_conflict + not_found + unreadable;
  const created = state.plan?.fields.filter((field) => field.action === "create").length ?? 0;
  const writes = sum("set") + sum("overwrite") + sum("clear");
  return (
    <>
      <div className={classes.pad}>
        <ul className={classes.plain}>
          {created > 0 && <li>{counted(created, "field is", "fields are")} created for All organizations.</li>}
          <li>
            {counted(writes, "value is", "values are")} written to the devices of {counted(matched, "matched row")}
            {sum("overwrite") > 0
              ? `, ${counted(sum("overwrite"), "of them overwrites", "of them overwrite")} another value`
              : ""}
            {sum("clear") > 0 ? `, ${counted(sum("clear"), "is cleared", "are cleared")}` : ""}.
          </li>
          {check.rows.matched_hostname > 0 && (
            <li>
              {counted(check.rows.matched_hostname, "source ID is", "source IDs are")} recorded for later imports.
            </li>
          )}
          {ambiguous > 0 && (
            <li>Of {counted(ambiguous, "ambiguous row")}, only those with a device that you picked are written.</li>
          )}
          {left > 0 && (
            <li>
              {counted(left, "row is", "rows are")} left alone: no device was found, or the file contradicts itself.
            </li>
          )}
        </ul>
        {writes === 0 && (
          <Message tone="warn">There is nothing to write: every value is already set or is left alone.</Message>
        )}
        {run.error && <Message tone="bad">{errorText(run.error)}</Message>}
      </div>
      <div className={classes.foot}>
        <Button type="submit" onClick={() => run.mutate({ id: state.id })} loading={run.isPending}>
          Run import
        </Button>
        <span className={classes.quiet}>Rows are resolved again while it runs. The import can be undone.</span>
      </div>
    </>
  );
}
