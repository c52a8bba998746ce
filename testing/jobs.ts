import { sql } from "drizzle-orm";
import { Logger, runOnce } from "graphile-worker";
import { asSystem } from "@/db/client";
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
      logger: new Logger(() => () => {}),
      concurrency: kind.atOnce,
      taskList: { [kind.name]: (data, { job }) => kind.run(data, { signal, attempt: job.attempts }) },
    });
  } finally {
    await pgPool.end();
  }
}

/** Makes a job that waits for its time, or for its retry, due now. */
export const makeDue = ({ name }: Pick<AnyJobKind, "name">, key: string) =>
  asSystem((tx) =>
    tx.execute(sql`UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = ${`${name} ${key}`}`),
  );
