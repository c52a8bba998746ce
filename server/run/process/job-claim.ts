import type postgres from "postgres";
import { ownerName, whileRenewed } from "@/server/ground/lease";
import { log } from "@/server/ground/log";

/** A job that pg-boss handed to this process. */
type ClaimedJob = { id: string; name: string };

/** How long after the last word of a process it counts as dead. */
export const SILENT_SECONDS = 15;

/** Says that this process has the job. @returns false when another one has taken it over */
async function beat(sql: postgres.Sql, { id, name }: ClaimedJob): Promise<boolean> {
  const rows = await sql`
    UPDATE pgboss.job SET data = jsonb_build_object('owner', ${ownerName}::text, 'beatAt', now())
    WHERE name = ${name} AND id = ${id} AND state = 'active' RETURNING 1`;
  return rows.length > 0;
}

/**
 * Does a job's work and renews its claim every few seconds; the signal ends the work once another process has the job.
 * pg-boss itself gives a job of a dead process to another only when it expires, hours later.
 */
export async function whileClaimed(
  sql: postgres.Sql,
  job: ClaimedJob,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController();
  const say = async () => {
    if (await beat(sql, job)) return;
    log.warn({ job: job.name }, "another process has taken this job over");
    lost.abort();
  };
  await say();
  await whileRenewed(say, () => work(lost.signal));
}

/**
 * Makes the jobs of processes that stopped renewing their claims due at once. Each gets a new id, so that what such a
 * process may still store about it has no effect. Jobs of an earlier version, which renews none, are left alone.
 * @returns the names of the jobs
 */
export async function freeSilentJobs(sql: postgres.Sql, names: readonly string[]): Promise<string[]> {
  const rows = await sql<{ name: string; owner: string }[]>`
    WITH silent AS (
      SELECT name, id, data->>'owner' AS owner FROM pgboss.job
      WHERE name = ANY(${[...names]}) AND state = 'active'
        AND (data->>'beatAt')::timestamptz < now() - make_interval(secs => ${SILENT_SECONDS})
      FOR UPDATE SKIP LOCKED)
    UPDATE pgboss.job j SET id = gen_random_uuid(), state = 'retry', start_after = now(), data = NULL
    FROM silent WHERE j.name = silent.name AND j.id = silent.id
    RETURNING j.name, silent.owner`;
  for (const { name, owner } of rows) log.warn({ job: name, owner }, "a job's process is silent; the job starts again");
  return rows.map(({ name }) => name);
}
