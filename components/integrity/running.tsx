"use client";

import { Button, Progress } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { count } from "@/components/format/amounts";
import { UNBATCHED, useTRPC } from "@/components/trpc";
import classes from "./integrity.module.css";

const POLL_MS = 250;

/** total: entries of the whole chain; null for a range, whose size is not known beforehand. */
type Props = { runId: string; total: number | null; seconds: number; onCancel: () => void };

/** A verification in progress: rows read, total, elapsed time, and a cancel button. */
export function Running({ runId, total, seconds, onCancel }: Props) {
  const progress = useQuery(
    useTRPC().integrity.progress.queryOptions({ runId }, { trpc: UNBATCHED, refetchInterval: POLL_MS }),
  );
  const rows = progress.data?.rows ?? 0;
  return (
    <div className={classes.running}>
      <span className="tm-figures">
        Verifying every entry: {count(rows)}
        {total === null ? " entries" : ` of ${count(total)} entries`}, {seconds.toFixed(1)} s
      </span>
      {total !== null && (
        <Progress
          value={total > 0 ? Math.min(100, (rows / total) * 100) : 0}
          aria-label="Entries read"
          size="sm"
          className={classes.bar}
        />
      )}
      <Button variant="default" size="xs" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}
