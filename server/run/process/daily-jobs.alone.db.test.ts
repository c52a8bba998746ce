import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { afterAll, afterEach, expect, it } from "vitest";
import { appSql } from "@/db/client";
import { verificationJob } from "@/server/evidence/integrity/nightly";
import type { DailyJob } from "@/server/ground/background/daily-job";
import { BEAT_MS } from "@/server/ground/lease";
import { retentionJob } from "@/server/retention/worker";
import { closeRoles, roles } from "@/testing/chain";
import { dailyJobsWorker } from "./daily-jobs";
import { SILENT_SECONDS } from "./job-claim";

const FAST = { pollSeconds: 0.5, catchUpAfterSeconds: 0, startAgainMs: 200 };
const workers: ReturnType<typeof dailyJobsWorker>[] = [];
const start = (job: DailyJob) => {
  const worker = dailyJobsWorker([job], FAST);
  workers.push(worker);
  worker.start();
};
const eventually = async (check: () => boolean) => {
  for (let n = 0; n < 600 && !check(); n++) await sleep(100);
  expect(check()).toBe(true);
};

afterEach(async () => {
  await Promise.all(workers.splice(0).map((w) => w.stop()));
  await roles.owner`DELETE FROM pgboss.job`;
});
afterAll(closeRoles);

/** Half a day from now: what is due by the clock is not what a test is about. */
const CRON = `15 ${(new Date().getUTCHours() + 12) % 24} * * *`;
const job = (over: Partial<DailyJob>): DailyJob => ({
  name: "retention",
  cron: CRON,
  run: async () => {},
  lastRanAt: async () => null,
  ...over,
});

it("makes good a missed night, in one of several processes", async () => {
  let ran = 0;
  const run = async () => {
    ran++;
    await sleep(300);
  };
  start(job({ run }));
  start(job({ run }));
  await eventually(() => ran > 0);
  await sleep(1500);
  expect(ran).toBe(1);
});

it("waits for its hour when it was done today", async () => {
  let ran = 0;
  start(job({ run: async () => void ran++, lastRanAt: async () => new Date() }));
  await sleep(1500);
  expect(ran).toBe(0);
  const schedules = await appSql()`SELECT name, cron, timezone FROM pgboss.schedule WHERE name = 'retention'`;
  expect([...schedules]).toEqual([{ name: "retention", cron: CRON, timezone: "UTC" }]);
});

it("starts later where the database was away when it should have started", async () => {
  let ran = 0;
  let asked = 0;
  const lastRanAt = async () => {
    if (asked++ === 0) throw new Error("the database is away");
    return null;
  };
  start(job({ run: async () => void ran++, lastRanAt }));
  await eventually(() => ran > 0);
  await workers.pop()?.stop();
  const left = () => roles.owner`SELECT FROM pg_stat_activity WHERE application_name = 'trailmark jobs'`;
  await expect.poll(async () => [...(await left())]).toEqual([]);
});

it("is stopped by the end of the process and tried again later", async () => {
  let [isRunning, stopped] = [false, false];
  const run = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => {
      isRunning = true;
      signal.addEventListener("abort", () => {
        stopped = true;
        reject(new Error("stopped"));
      });
    });
  start(job({ run }));
  await eventually(() => isRunning);
  await workers.pop()?.stop();
  expect(stopped).toBe(true);
  // Its last statement may still be on its way through the database.
  const stateOf = async () => (await appSql()`SELECT state::text FROM pgboss.job WHERE name = 'retention'`)[0]?.state;
  await expect.poll(stateOf).toBe("retry");
});

it("takes the real jobs, with no right on the tables but that on their rows", async () => {
  await retentionJob.run(AbortSignal.timeout(240_000));
  expect(await retentionJob.lastRanAt()).not.toBe(undefined);
  await verificationJob.lastRanAt();
});

/** When the process that has the job last said so. */
const beatAt = async (): Promise<string | undefined> =>
  (await roles.owner`SELECT data->>'beatAt' AS at FROM pgboss.job WHERE state = 'active'`)[0]?.at;

/** As much time as a process may be silent goes by at once. */
const passSilence = () => roles.owner`
  UPDATE pgboss.job
  SET data = data || jsonb_build_object('beatAt', (data->>'beatAt')::timestamptz - make_interval(secs => ${SILENT_SECONDS}))
  WHERE state = 'active'`;

/** A process that takes the job at once and never ends it. */
const HOLDER = `
  import "@/server/ground/env";
  import { dailyJobsWorker } from "@/server/run/process/daily-jobs";
  const job = { name: "retention", cron: "15 3 * * *", lastRanAt: async () => null, run: () => {
    process.stdout.write("running");
    return new Promise(() => setInterval(() => {}, 1000));
  } };
  dailyJobsWorker([job], ${JSON.stringify(FAST)}).start();`;

async function startHolder(): Promise<ChildProcess> {
  const root = process.cwd();
  const outfile = join(root, "dist", `test-holder-${process.pid}.mjs`);
  await build({
    stdin: { contents: HOLDER, resolveDir: root, loader: "ts" },
    ...{ outfile, bundle: true, format: "esm", platform: "node", packages: "external", alias: { "@": root } },
  });
  const child = spawn(process.execPath, [outfile], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  rmSync(outfile);
  return child;
}

it("continues in another process within half a minute when its own is killed", async () => {
  const holder = await startHolder();
  let ran = 0;
  start(job({ run: async () => void ran++, lastRanAt: async () => new Date() }));
  const first = await beatAt();
  await expect.poll(beatAt).not.toBe(first);
  expect(ran).toBe(0);
  const gone = once(holder, "exit");
  holder.kill("SIGKILL");
  await gone;
  await passSilence();
  await expect.poll(() => ran, { timeout: 90_000, interval: 100 }).toBe(1);
  // Silent after so long, looked for so often: on a machine that is not starved the two are the whole wait.
  expect(SILENT_SECONDS * 1000 + BEAT_MS).toBeLessThan(30_000);
});

it("begins a job again whose end could not be written down", async () => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => unheard.push(reason);
  process.on("unhandledRejection", hear);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let holding: Promise<unknown> = Promise.resolve();
  let ran = 0;
  const run = () =>
    new Promise<void>((resolve) => {
      ran++;
      holding = roles.owner.begin(async (tx) => {
        // The job's row alone: what looks for silent and for waiting jobs passes over it.
        await tx`SELECT FROM pgboss.job WHERE state = 'active' FOR UPDATE`;
        resolve();
        await released;
      });
    });
  start(job({ run }));
  const ending = () => roles.owner`
    SELECT pid FROM pg_stat_activity
    WHERE application_name = 'trailmark jobs' AND wait_event_type = 'Lock' AND query LIKE '%completed_on = now()%'`;
  await expect.poll(async () => (await ending()).length, { timeout: 60_000 }).toBe(1);
  const [waiting] = await ending();
  await roles.owner`SELECT pg_terminate_backend(${waiting?.pid})`;
  await expect.poll(async () => (await ending()).length, { timeout: 60_000 }).toBe(0);
  release();
  await holding;
  await passSilence();
  await expect.poll(() => ran, { timeout: 90_000, interval: 100 }).toBe(2);
  process.off("unhandledRejection", hear);
  expect(unheard).toEqual([]);
});

it("says nothing of a job that another process has taken over", async () => {
  let finish: (() => void) | undefined;
  let lost = false;
  const run = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      finish = resolve;
      signal.addEventListener("abort", () => {
        lost = true;
      });
    });
  start(job({ run }));
  await eventually(() => finish !== undefined);
  // The other process is taken for alive for as long as this lasts.
  await roles.owner`
    UPDATE pgboss.job SET id = gen_random_uuid(), start_after = now() + interval '1 hour',
      data = data || jsonb_build_object('beatAt', now() + interval '1 hour')
    WHERE state = 'active'`;
  await expect.poll(() => lost, { timeout: 60_000 }).toBe(true);
  finish?.();
  await sleep(500);
  const [left] = await appSql()`SELECT state::text FROM pgboss.job WHERE name = 'retention'`;
  expect(left?.state).toBe("active");
});
