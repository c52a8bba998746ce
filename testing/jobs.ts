import { runOnce } from "graphile-worker";
import { JOBS_SCHEMA, jobPool } from "@/db/jobs";
import type { AnyJobKind } from "@/server/ground/jobs";

/** Does the jobs of a kind that are due, those of other tests too, one after the other; a failed one waits for its retry. */
export async function workOff(kind: AnyJobKind, signal = new AbortController().signal): Promise<void> {
  const pgPool = jobPool();
  try {
    await runOnce({
      pgPool,
      schema: JOBS_SCHEMA,
      noHandleSignals: true,
      concurrency: kind.atOnce,
      taskList: { [kind.name]: (data, { job }) => kind.run(data, { signal, attempt: job.attempts }) },
    });
  } finally {
    await pgPool.end();
  }
}
