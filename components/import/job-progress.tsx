"use client";

import { Button, Group, Progress } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { count } from "@/components/format/amounts";
import { useTRPC } from "@/components/trpc";
import { errorText, Message } from "@/components/ui/notice";
import type { ImportState } from "@/server/custom-fields/import/schema";
import classes from "./import.module.css";

type Job = NonNullable<ImportState["job"]>;
const JOB_LABEL: Record<Job["name"], string> = {
  stage: "Reading the file",
  check: "Checking every row",
  apply: "Writing values",
  undo: "Restoring values",
};

/** "1 min 20 s" */
function duration(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** Rows per second since the page was opened, because a resumed run would otherwise count the pause. */
function useRate(job: Job): number {
  const first = useRef<{ at: number; done: number } | null>(null);
  const now = Date.now();
  if (!first.current || job.done < first.current.done) first.current = { at: now, done: job.done };
  const since = (now - first.current.at) / 1000;
  const overall = (now - Date.parse(job.startedAt)) / 1000;
  if (since > 2 && job.done > first.current.done) return (job.done - first.current.done) / since;
  return overall > 0 ? job.done / overall : 0;
}

/** The progress, speed and remaining time of a background job, with a cancel button. */
export function JobProgress({ id, job }: { id: string; job: Job }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const rate = useRate(job);
  const cancel = useMutation(
    trpc.imports.cancel.mutationOptions({
      onSettled: () => cache.invalidateQueries(trpc.imports.get.queryFilter({ id })),
    }),
  );
  const isCounted = job.name !== "stage" && job.total > 0;
  const share = isCounted ? Math.min(100, (job.done / job.total) * 100) : 100;
  const left = isCounted && rate > 0 && job.done > 0 ? duration((job.total - job.done) / rate) : null;
  return (
    <div className={classes.progress}>
      <Group justify="space-between" wrap="nowrap">
        <strong>{job.cancelRequested ? "Stopping after the current rows" : JOB_LABEL[job.name]}</strong>
        <Button
          variant="default"
          size="compact-sm"
          disabled={job.cancelRequested}
          loading={cancel.isPending}
          onClick={() => cancel.mutate({ id, jobStartedAt: job.startedAt })}
        >
          Cancel
        </Button>
      </Group>
      {cancel.error && <Message tone="bad">{errorText(cancel.error)}</Message>}
      <Progress value={share} animated={!isCounted} aria-label={JOB_LABEL[job.name]} />
      <p className={classes.quiet} aria-live="polite">
        <span className="tm-figures">
          {count(job.done)}
          {isCounted ? ` of ${count(job.total)}` : ""} rows
        </span>
        {rate >= 1 && <span className="tm-figures">, {count(Math.round(rate))} per second</span>}
        {left && <span className="tm-figures">, about {left} left</span>}. You can close this page: the work continues.
      </p>
    </div>
  );
}
