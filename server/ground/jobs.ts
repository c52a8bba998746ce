import { EventEmitter } from "node:events";
import { sql } from "drizzle-orm";
import {
  type JobHelpers,
  Logger,
  parseCronItems,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import type { Pool } from "pg";
import { asSystem, type Tx } from "@/db/client";
import { JOBS_SCHEMA, jobPool } from "@/db/jobs";
import { rowsOf } from "@/db/rows";
import { databaseSettings } from "@/db/settings";
import { backgroundLoop } from "./background/background-loop";
import { log } from "./log";
import { isProcessAlive, processName } from "./process-name";
import { DAY_MS } from "./time/durations";

/** A process silent for this long counts as dead; others take over its jobs. */
export const SILENT_MS = 15_000;
const BEAT_MS = SILENT_MS / 3;
/** Poll interval for delayed jobs; new ones are announced by NOTIFY. */
const POLL_MS = 5_000;
const START_AGAIN_MS = 5_000;

/**
 * signal: the process is stopping, or another has taken over; the work must throw and continues there. attempt: 1 at
 * first, incremented on each start.
 */
export type Job = { signal: AbortSignal; attempt: number };

/** A kind of background work. A failing run is retried after e, e², e³ … seconds, up to six hours. */
export type JobKind<Data extends object> = {
  name: string;
  run: (data: Data, job: Job) => Promise<void>;
  /** Concurrent runs per process. */
  atOnce: number;
  /** Concurrent runs of one group per process. */
  atOncePerGroup?: number;
  /** Attempts before giving up. */
  maxAttempts?: number;
  /** Own schedule (crontab, UTC), in one process at a time. */
  cron?: string;
  /** Catches up on a run missed within a day while no process ran. */
  catchesUp?: true;
};

/**
 * key: replaces an earlier job that has not started. at: due time, at once by default. inTurn: waits for a running job
 * of the same key.
 */
type Wish = { key: string; at?: Date; group?: string | null | undefined; inTurn?: true };

const flagsOf = (name: string, group?: string | null): string[] => [name, ...(group ? [`${name} ${group}`] : [])];
const keyOf = (name: string, key: string): string => `${name} ${key}`;

/** Queues work for any process, after this transaction's commit. */
export async function enqueue<Data extends object>(
  tx: Tx,
  { name, maxAttempts = 25 }: Pick<JobKind<Data>, "name" | "maxAttempts">,
  { data, key, at, group, inTurn }: Wish & { data: Data },
): Promise<void> {
  const flags = JSON.stringify(flagsOf(name, group));
  await tx.execute(sql`
    SELECT FROM ${sql.identifier(JOBS_SCHEMA)}.add_job(${name}::text, ${JSON.stringify(data)}::text::json,
      run_at => ${at?.toISOString() ?? null}::timestamptz, max_attempts => ${maxAttempts}::int,
      job_key => ${keyOf(name, key)}::text, queue_name => ${inTurn ? keyOf(name, key) : null}::text,
      flags => ARRAY(SELECT jsonb_array_elements_text(${flags}::text::jsonb)))`);
}

/** Removes a waiting job; a running one is not retried. */
export async function dropJob(tx: Tx, { name }: { name: string }, key: string): Promise<void> {
  await tx.execute(sql`SELECT FROM ${sql.identifier(JOBS_SCHEMA)}.remove_job(${keyOf(name, key)}::text)`);
}

/** Retries a waiting or given up job at once; a running one continues. */
export async function retryNow(tx: Tx, { name }: { name: string }, key: string): Promise<void> {
  await tx.execute(sql`
    SELECT FROM ${sql.identifier(JOBS_SCHEMA)}.reschedule_jobs(
      ARRAY(SELECT id FROM ${sql.identifier(JOBS_SCHEMA)}.jobs WHERE key = ${keyOf(name, key)}),
      run_at => now(), attempts => 0)`);
}

/** Jobs of one kind over all processes: due or running, age of the oldest, and given up. */
export type Backlog = { name: string; due: number; ageSeconds: number; failed: number };

/** Amount of waiting work, by kind. */
export function readBacklog(): Promise<Backlog[]> {
  const isGivenUp = sql`(attempts >= max_attempts AND locked_at IS NULL)`;
  return asSystem((tx) =>
    rowsOf<Backlog>(
      tx,
      sql`SELECT task_identifier AS name, (count(*) FILTER (WHERE NOT ${isGivenUp}))::int AS due,
          coalesce(extract(epoch FROM now() - min(run_at) FILTER (WHERE NOT ${isGivenUp})), 0)::float8 AS "ageSeconds",
          (count(*) FILTER (WHERE ${isGivenUp}))::int AS failed
        FROM ${sql.identifier(JOBS_SCHEMA)}.jobs WHERE run_at <= now() GROUP BY task_identifier`,
    ),
  );
}

/** Logs problems of the library; failures of jobs are logged with their kind. */
const logger = new Logger(() => (level, message, meta) => {
  if (level === "error" && !meta?.failure) log.warn({ library: "graphile-worker" }, message);
});

// biome-ignore lint/suspicious/noExplicitAny: kinds of different data stand in one list
export type AnyJobKind = JobKind<any>;

/** Jobs running in this process, and the kinds it cannot take more of. */
class Running {
  readonly #counts = new Map<string, number>();
  readonly #kinds: ReadonlyMap<string, AnyJobKind>;

  constructor(kinds: readonly AnyJobKind[]) {
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
  }

  #limitOf(flag: string): number {
    const [name = ""] = flag.split(" ");
    const kind = this.#kinds.get(name);
    return (flag === name ? kind?.atOnce : kind?.atOncePerGroup) ?? Number.POSITIVE_INFINITY;
  }

  /** Flags at their limit in this process. */
  full(): string[] {
    return [...this.#counts].filter(([flag, count]) => count >= this.#limitOf(flag)).map(([flag]) => flag);
  }

  /** @returns false at the limit: two were taken at once */
  begin(flags: readonly string[]): boolean {
    if (flags.some((flag) => (this.#counts.get(flag) ?? 0) >= this.#limitOf(flag))) return false;
    for (const flag of flags) this.#counts.set(flag, (this.#counts.get(flag) ?? 0) + 1);
    return true;
  }

  end(flags: readonly string[]): void {
    for (const flag of flags) {
      const left = (this.#counts.get(flag) ?? 1) - 1;
      if (left > 0) this.#counts.set(flag, left);
      else this.#counts.delete(flag);
    }
  }
}

/** A process's registration for jobs, kept alive, and the library's workers. */
class Share {
  readonly #pool: Pool = jobPool();
  readonly #kinds: readonly AnyJobKind[];
  readonly #running: Running;
  readonly #stopping = new AbortController();
  #lost = new AbortController();
  #id = "";
  #isKnown = false;
  /** Jobs running here, and jobs taken but not running. */
  readonly #jobs = new Set<string>();
  #unreleased: string[] = [];
  #registered: Promise<void> | null = null;
  #runner: Runner | null = null;

  constructor(kinds: readonly AnyJobKind[]) {
    this.#kinds = kinds;
    this.#running = new Running(kinds);
  }

  async start(): Promise<void> {
    const events: WorkerEvents = new EventEmitter();
    events.on("pool:create", ({ workerPool }) => {
      this.#id = workerPool.id;
    });
    const crons = this.#kinds.flatMap(({ name, cron, catchesUp, maxAttempts = 25 }) =>
      cron === undefined
        ? []
        : [
            {
              task: name,
              match: cron,
              identifier: name,
              options: {
                ...{ backfillPeriod: catchesUp ? DAY_MS : 0, maxAttempts },
                ...{ queueName: name, jobKey: keyOf(name, "cron") },
              },
            },
          ],
    );
    this.#runner = await run({
      pgPool: this.#pool,
      schema: JOBS_SCHEMA,
      events,
      logger,
      noHandleSignals: true,
      noPreparedStatements: !databaseSettings().DATABASE_PREPARE,
      concurrency: this.#kinds.reduce((sum, { atOnce }) => sum + atOnce, 0),
      pollInterval: POLL_MS,
      parsedCronItems: parseCronItems(crons),
      // Takes jobs only after registration, because others free those of unknown processes.
      forbiddenFlags: async () => {
        this.#registered ??= this.beat();
        await this.#registered;
        return this.#running.full();
      },
      taskList: Object.fromEntries(this.#kinds.map((kind) => [kind.name, this.#taskOf(kind)])) satisfies TaskList,
    });
  }

  #taskOf(kind: AnyJobKind) {
    return async (payload: unknown, helpers: JobHelpers): Promise<void> => {
      const { job } = helpers;
      const flags = Object.keys(job.flags ?? {});
      const lost = this.#lost.signal;
      const giveBack = async () => {
        const spec = { maxAttempts: job.max_attempts, ...(job.key ? { jobKey: job.key } : {}), flags };
        await helpers.addJob(kind.name, payload, kind.cron ? { ...spec, queueName: kind.name } : spec);
      };
      this.#jobs.add(job.id);
      if (!this.#running.begin(flags)) return giveBack().finally(() => this.#jobs.delete(job.id));
      const began = performance.now();
      try {
        await kind.run(payload, { signal: AbortSignal.any([this.#stopping.signal, lost]), attempt: job.attempts });
        lost.throwIfAborted();
        if (kind.catchesUp) log.info({ job: kind.name, ms: Math.round(performance.now() - began) }, "job done");
      } catch (error) {
        // A job taken over by another process must not be given back; throwing has no effect.
        if (this.#stopping.signal.aborted && !lost.aborted) return giveBack();
        if (!lost.aborted) log.warn({ err: error, job: kind.name, attempt: job.attempts }, "a job failed");
        throw error;
      } finally {
        this.#running.end(flags);
        this.#jobs.delete(job.id);
      }
    };
  }

  /** Registrations of dead processes on this machine, so that a restart need not wait for their timeout. */
  async #dead(): Promise<string[]> {
    const { rows } = await this.#pool.query<{ id: string; process: string }>("SELECT id, process FROM job_processes");
    return rows.filter(({ process }) => isProcessAlive(process) === false).map(({ id }) => id);
  }

  /** Renews the registration, and frees the jobs of dead or silent processes. */
  async beat(): Promise<void> {
    const { rows } = await this.#pool.query<{ isNew: boolean }>(
      `INSERT INTO job_processes (id, process, seen_at) VALUES ($1, $2, clock_timestamp())
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at RETURNING (xmax = 0) AS "isNew"`,
      [this.#id, processName()],
    );
    if (rows[0]?.isNew && this.#isKnown) {
      log.warn("other processes took this one for dead and have taken over its jobs");
      this.#loseAll();
    }
    this.#isKnown = true;
    await this.#freeUnreleased();
    await this.#pool.query(
      `WITH gone AS (
        DELETE FROM job_processes
        WHERE seen_at < clock_timestamp() - make_interval(secs => $1) OR id = ANY ($2) RETURNING id)
      SELECT ${JOBS_SCHEMA}.force_unlock_workers(array_agg(id)) FROM gone HAVING count(*) > 0`,
      [SILENT_MS / 1_000, await this.#dead()],
    );
  }

  #loseAll(): void {
    this.#lost.abort();
    this.#lost = new AbortController();
  }

  /** Frees jobs whose end the library could not store while the database was down. */
  async #freeUnreleased(): Promise<void> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `SELECT id FROM ${JOBS_SCHEMA}.jobs WHERE locked_by = $1 AND id <> ALL ($2)`,
      [this.#id, [...this.#jobs]],
    );
    const before = new Set(this.#unreleased);
    this.#unreleased = rows.map(({ id }) => id);
    // On the first sight it may just have been ending.
    if (!this.#unreleased.some((id) => before.has(id))) return;
    log.warn(
      { jobs: this.#unreleased },
      "jobs ended while the database was away: everything this process had begins again",
    );
    this.#loseAll();
    await this.#pool.query(`SELECT ${JOBS_SCHEMA}.force_unlock_workers(ARRAY[$1])`, [this.#id]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#runner?.stop().catch(() => {});
    await this.#pool
      .query(
        `WITH gone AS (DELETE FROM job_processes WHERE id = $1 RETURNING id)
        SELECT ${JOBS_SCHEMA}.force_unlock_workers(array_agg(id)) FROM gone HAVING count(*) > 0`,
        [this.#id],
      )
      .catch(() => {});
    await this.#pool.end().catch(() => {});
  }
}

/**
 * Runs jobs of these kinds in this process; of all processes one runs each job. Starts later if the database is down
 * for a moment.
 */
export function jobWorker(kinds: readonly AnyJobKind[]) {
  let share: Share | null = null;
  const loop = backgroundLoop(
    "jobs",
    () => (share ? BEAT_MS : START_AGAIN_MS),
    async () => {
      if (share) return share.beat();
      const starting = new Share(kinds);
      try {
        await starting.start();
        share = starting;
      } catch (error) {
        await starting.stop();
        throw error;
      }
    },
  );
  return {
    name: "jobs",
    start: loop.start,
    async stop(): Promise<void> {
      await loop.stop();
      await share?.stop();
      share = null;
    },
  };
}
