import { setTimeout as sleep } from "node:timers/promises";
import PgBoss from "pg-boss";
import type postgres from "postgres";
import { connectApp } from "@/db/connect";
import { type BackgroundLoop, backgroundLoop } from "@/server/ground/background/background-loop";
import type { DailyJob } from "@/server/ground/background/daily-job";
import { BEAT_MS } from "@/server/ground/lease";
import { log } from "@/server/ground/log";
import { HOUR_MS } from "@/server/ground/time/durations";
import { freeSilentJobs, whileClaimed } from "./job-claim";

const POLL_SECONDS = 30;
const OVERDUE_MS = 25 * HOUR_MS;
/** A catch-up waits until the process has started up, and is sent once an hour at most. */
const CATCH_UP_AFTER_SECONDS = 60;
const STOP_MS = 5_000;
const SETTLE_MS = 1_000;
const START_AGAIN_MS = 10_000;

type Running = { boss: PgBoss; sql: postgres.Sql; abort: AbortController; watch: BackgroundLoop };
type Pace = { pollSeconds: number; catchUpAfterSeconds: number; startAgainMs: number };

/** pg-boss hands JSON over as text and parameters as undefined; postgres.js would encode the one again and refuse the other. */
function connect(): postgres.Sql {
  return connectApp({
    name: "trailmark jobs",
    max: 1,
    types: {
      json: {
        to: 114,
        from: [114, 3802],
        serialize: (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value)),
        parse: (text: string) => JSON.parse(text),
      },
    },
  });
}

async function execute(sql: postgres.Sql, text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
  const rows = await sql.unsafe(text, values.map((value) => value ?? null) as never[]);
  return { rows: [...rows] };
}

/**
 * pg-boss does not wait for the statement by which it ends a job, so its failure would go unnoticed. Such a job falls
 * silent, and is begun again.
 */
function executeSql(sql: postgres.Sql, text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
  const executed = execute(sql, text, values);
  if (!text.includes("completed_on")) return executed;
  return executed.catch((error: unknown) => {
    log.warn({ err: error }, "the end of a job could not be stored");
    return { rows: [{ count: 0 }] };
  });
}

/** @returns the id of the worker that looks for this job */
async function schedule({ boss, sql, abort }: Omit<Running, "watch">, job: DailyJob, pace: Pace): Promise<string> {
  await boss.schedule(job.name, job.cron, undefined, { tz: "UTC" });
  const worker = await boss.work(
    job.name,
    { pollingIntervalSeconds: pace.pollSeconds, batchSize: 1 },
    async ([claimed]) => {
      if (!claimed) return;
      const started = performance.now();
      await whileClaimed(sql, claimed, (lost) => job.run(AbortSignal.any([abort.signal, lost])));
      log.info({ job: job.name, ms: Math.round(performance.now() - started) }, "daily job done");
    },
  );
  const last = await job.lastRanAt();
  if (last && Date.now() - last.getTime() < OVERDUE_MS) return worker;
  const once = { singletonKey: "catch-up", singletonSeconds: 3600, startAfter: pace.catchUpAfterSeconds };
  await boss.send(job.name, {}, once);
  return worker;
}

async function begin(jobs: readonly DailyJob[], pace: Pace): Promise<Running> {
  const sql = connect();
  const boss = new PgBoss({
    db: { executeSql: (text: string, values?: unknown[]) => executeSql(sql, text, values) },
    migrate: false,
  });
  boss.on("error", (error: Error) => log.warn({ err: error }, "the job queue has trouble"));
  const workers = new Map<string, string>();
  const watch = backgroundLoop("silent jobs", BEAT_MS, async () => {
    const freed = await freeSilentJobs(sql, [...workers.keys()]);
    for (const name of freed) boss.notifyWorker(workers.get(name) ?? "");
  });
  const own: Running = { boss, sql, abort: new AbortController(), watch };
  try {
    await boss.start();
    for (const job of jobs) workers.set(job.name, await schedule(own, job, pace));
    watch.start();
    return own;
  } catch (error) {
    await end(own);
    throw error;
  }
}

async function end({ boss, sql, abort, watch }: Running): Promise<void> {
  abort.abort();
  await watch.stop();
  await boss.stop({ graceful: true, wait: true, timeout: STOP_MS }).catch(() => {});
  // On the one connection, behind all that was sent: postgres.js opens it again for what is under way when it is ended.
  await Promise.race([sql`SELECT 1`.catch(() => {}), sleep(SETTLE_MS, undefined, { ref: false })]);
  await sql.end({ timeout: 1 });
}

/**
 * A worker for startWorkers: pg-boss over tables that the migration made, with rights on rows alone. What cannot be
 * started, because the database is away for a moment, is started again.
 */
export function dailyJobsWorker(
  jobs: readonly DailyJob[],
  pace: Pace = {
    pollSeconds: POLL_SECONDS,
    catchUpAfterSeconds: CATCH_UP_AFTER_SECONDS,
    startAgainMs: START_AGAIN_MS,
  },
) {
  let running: Running | null = null;
  const starting = backgroundLoop("start of the daily jobs", pace.startAgainMs, async () => {
    running ??= await begin(jobs, pace);
  });
  return {
    name: "daily jobs",
    start: starting.start,
    async stop(): Promise<void> {
      await starting.stop();
      if (running) await end(running);
      running = null;
    },
  };
}
