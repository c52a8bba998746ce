import { sql } from "drizzle-orm";
import { Logger, runOnce } from "graphile-worker";
import { asSystem } from "@/db/client";
import { JOBS_SCHEMA, jobPool } from "@/db/jobs";
import type { AnyJobKind } from "@/server/ground/jobs";

/** Runs due jobs of a kind one by one, including other tests'; failed ones wait for their retry. */
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

/** Makes a delayed or retried job due now. */
export const makeDue = ({ name }: Pick<AnyJobKind, "name">, key: string) =>
  asSystem((tx) =>
    tx.execute(sql`UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = ${`${name} ${key}`}`),
  );
