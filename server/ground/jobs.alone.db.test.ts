import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { asSystem } from "@/db/client";
import { bundled } from "@/testing/bundled";
import { roles } from "@/testing/chain";
import { startNode } from "@/testing/program";
import { type AnyJobKind, dropJob, enqueue, type Job, type JobKind, jobWorker, readBacklog, SILENT_MS } from "./jobs";
import { log } from "./log";

const workers: ReturnType<typeof jobWorker>[] = [];
const start = (...kinds: AnyJobKind[]) => {
  const worker = jobWorker(kinds);
  workers.push(worker);
  worker.start();
  return worker;
};

const clear = async () => {
  await roles.owner`DELETE FROM graphile_worker._private_jobs`;
  await roles.owner`DELETE FROM graphile_worker._private_known_crontabs`;
};
// Test files share a database, and others leave work behind.
beforeAll(clear);
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await clear();
});

type Data = { n: number };
const kindOf = (over: Partial<JobKind<Data>>): JobKind<Data> => ({
  name: "test",
  atOnce: 1,
  run: async () => {},
  ...over,
});
const put = (kind: JobKind<Data>, n: number, group?: string) =>
  asSystem((tx) => enqueue(tx, kind, { data: { n }, key: String(n), group }));
const jobsLeft = async () => [
  ...(await roles.owner`SELECT key, attempts, locked_by IS NOT NULL AS runs FROM graphile_worker._private_jobs ORDER BY id`),
];
/** Work that goes on until its signal ends it, and then throws. */
const untilStopped = ({ signal }: Job) =>
  new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));

it("runs a job once in one of several processes after its transaction commits", async () => {
  const ran: number[] = [];
  const kind = kindOf({ run: async ({ n }) => void ran.push(n) });
  start(kind);
  start(kind);
  const refused = asSystem(async (tx) => {
    await enqueue(tx, kind, { data: { n: 1 }, key: "1" });
    throw new Error("rolled back");
  });
  await expect(refused).rejects.toThrow("rolled back");
  await put(kind, 2);
  await put(kind, 3);
  await expect.poll(() => ran.length).toBe(2);
  await expect.poll(jobsLeft).toEqual([]);
  expect(ran.sort()).toEqual([2, 3]);
});

it("replaces a pending job with the same key, and deletes one on request", async () => {
  const kind = kindOf({});
  const later = new Date(Date.now() + 3_600_000);
  await asSystem((tx) => enqueue(tx, kind, { data: { n: 1 }, key: "k", at: later }));
  await asSystem((tx) => enqueue(tx, kind, { data: { n: 2 }, key: "k", at: later }));
  expect(await jobsLeft()).toHaveLength(1);
  await asSystem((tx) => dropJob(tx, kind, "k"));
  expect(await jobsLeft()).toEqual([]);
});

it("runs as many jobs at a time as the kind and its groups allow", async () => {
  let [now, most, mostOfA] = [0, 0, 0];
  let ofA = 0;
  let done = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const kind = kindOf({
    atOnce: 4,
    atOncePerGroup: 2,
    async run({ n }) {
      now++;
      if (n < 6) ofA++;
      [most, mostOfA] = [Math.max(most, now), Math.max(mostOfA, ofA)];
      await released;
      now--;
      if (n < 6) ofA--;
      done++;
    },
  });
  for (let n = 0; n < 12; n++) await put(kind, n, n < 6 ? "a" : `other ${n}`);
  start(kind);
  await expect.poll(() => now).toBe(4);
  await sleep(100);
  release();
  await expect.poll(() => done).toBe(12);
  expect([most, mostOfA]).toEqual([4, 2]);
});

it("retries a failed job with growing delays, then gives up", async () => {
  const attempts: number[] = [];
  const kind = kindOf({
    maxAttempts: 2,
    async run(_, { attempt }) {
      attempts.push(attempt);
      throw new Error("no luck");
    },
  });
  await put(kind, 1);
  start(kind);
  await expect.poll(() => attempts).toEqual([1, 2]);
  await expect.poll(jobsLeft).toEqual([{ key: "test 1", attempts: 2, runs: false }]);
});

it("hands a job over immediately when its process stops", async () => {
  let begun = 0;
  const attempts: number[] = [];
  const held = (_: Data, job: Job) => {
    begun++;
    return untilStopped(job);
  };
  const holding = start(kindOf({ run: held }));
  await put(kindOf({}), 1);
  await expect.poll(() => begun).toBe(1);
  start(kindOf({ run: async (_, { attempt }) => void attempts.push(attempt) }));
  await holding.stop();
  await expect.poll(() => attempts, { timeout: SILENT_MS - 5_000 }).toEqual([1]);
  await expect.poll(jobsLeft).toEqual([]);
});

it("catches up one missed nightly run", async () => {
  let ran = 0;
  const hour = (new Date().getUTCHours() + 12) % 24;
  const kind = kindOf({ cron: `15 ${hour} * * *`, catchesUp: true, run: async () => void ran++ });
  await roles.owner`
    INSERT INTO graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
    VALUES ('test', now() - interval '3 days', now() - interval '2 days')`;
  start(kind);
  start(kind);
  await expect.poll(() => ran).toBe(1);
  await sleep(1_000);
  expect(ran).toBe(1);
});

it("waits for the next hour if the last night was not missed", async () => {
  let ran = 0;
  const hour = (new Date().getUTCHours() + 12) % 24;
  start(kindOf({ cron: `15 ${hour} * * *`, catchesUp: true, run: async () => void ran++ }));
  await sleep(1_500);
  expect(ran).toBe(0);
});

it("starts late if the database was down at startup", async () => {
  let ran = 0;
  const kind = kindOf({ run: async () => void ran++ });
  await put(kind, 1);
  await roles.owner`REVOKE USAGE ON SCHEMA graphile_worker FROM trailmark_app`;
  const worker = start(kind);
  await sleep(500);
  await roles.owner`GRANT USAGE ON SCHEMA graphile_worker TO trailmark_app`;
  await expect.poll(() => ran).toBe(1);
  await worker.stop();
  const left = () => roles.owner`SELECT FROM pg_stat_activity WHERE application_name = 'trailmark jobs'`;
  await expect.poll(async () => [...(await left())]).toEqual([]);
});

/** A process that takes the job at once and never ends it. */
const HOLDER = `
  import { jobWorker } from "@/server/ground/jobs";
  import "@/server/ground/env";
  const run = () => {
    process.stdout.write("running");
    return new Promise(() => setInterval(() => {}, 1000));
  };
  jobWorker([{ name: "test", atOnce: 1, run }]).start();`;

const holder = bundled(HOLDER);

/** The jobs of a process that is killed while it does one. */
async function killHolder(): Promise<void> {
  const { child, ended, said } = startNode([holder], { env: process.env });
  await said(/running/);
  child.kill("SIGKILL");
  await ended;
}

it("continues immediately after a process on the same machine was killed", async () => {
  const attempts: number[] = [];
  await put(kindOf({}), 1);
  await killHolder();
  start(kindOf({ run: async (_, { attempt }) => void attempts.push(attempt) }));
  await expect.poll(() => attempts, { timeout: SILENT_MS - 5_000, interval: 100 }).toEqual([2]);
});

it("continues within 30 seconds after a process on another machine died", async () => {
  const attempts: number[] = [];
  await put(kindOf({}), 1);
  await killHolder();
  await roles.owner`UPDATE job_processes SET process = 'of another machine'`;
  start(kindOf({ run: async (_, { attempt }) => void attempts.push(attempt) }));
  await sleep(1_000);
  expect(attempts).toEqual([]);
  await roles.owner`UPDATE job_processes SET seen_at = seen_at - make_interval(secs => ${SILENT_MS / 1_000})`;
  await expect.poll(() => attempts, { timeout: 30_000, interval: 100 }).toEqual([2]);
  expect(SILENT_MS).toBeLessThan(20_000);
});

it("starts without warning, and ends the work of a process presumed dead", async () => {
  const warn = vi.spyOn(log, "warn");
  let [begun, ended] = [0, 0];
  const kind = kindOf({
    run: async (_, job) => {
      begun++;
      await untilStopped(job).finally(() => ended++);
    },
  });
  await put(kind, 1);
  start(kind);
  await expect.poll(() => begun).toBe(1);
  expect(warn).not.toHaveBeenCalled();
  // Another process has it now, and is alive.
  await roles.owner`INSERT INTO job_processes VALUES ('other', 'of another machine', now() + interval '1 hour')`;
  await roles.owner`UPDATE graphile_worker._private_jobs SET locked_by = 'other'`;
  await roles.owner`DELETE FROM job_processes WHERE id <> 'other'`;
  await expect.poll(() => ended).toBe(1);
  await sleep(500);
  expect(await jobsLeft()).toEqual([{ key: "test 1", attempts: 1, runs: true }]);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining("took this one for dead"));
  await roles.owner`DELETE FROM job_processes WHERE id = 'other'`;
});

it("reports waiting, oldest and failed jobs", async () => {
  const kind = kindOf({});
  await asSystem((tx) => enqueue(tx, kind, { data: { n: 1 }, key: "1", at: new Date(Date.now() - 60_000) }));
  await asSystem((tx) => enqueue(tx, kind, { data: { n: 2 }, key: "2", at: new Date(Date.now() + 60_000) }));
  const [backlog] = (await readBacklog()).filter(({ name }) => name === "test");
  expect(backlog).toMatchObject({ due: 1, failed: 0 });
  expect(backlog?.ageSeconds).toBeGreaterThan(50);
});
