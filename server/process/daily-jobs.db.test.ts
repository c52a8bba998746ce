import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, expect, it } from "vitest";
import { appSql } from "@/db/client";
import { verificationJob } from "@/server/audit/integrity/nightly";
import { retentionJob } from "@/server/retention/worker";
import { closeRoles, roles } from "@/testing/chain";
import { type DailyJob, dailyJobsWorker } from "./daily-jobs";

const FAST = { pollSeconds: 0.5, catchUpAfterSeconds: 0 };
const workers: ReturnType<typeof dailyJobsWorker>[] = [];
const start = async (job: DailyJob) => {
  const worker = dailyJobsWorker([job], FAST);
  workers.push(worker);
  await worker.start();
};
const eventually = async (check: () => boolean) => {
  for (let n = 0; n < 100 && !check(); n++) await sleep(100);
  expect(check()).toBe(true);
};

afterEach(async () => {
  await Promise.all(workers.splice(0).map((w) => w.stop()));
  await roles.owner`DELETE FROM pgboss.job`;
});
afterAll(closeRoles);

const job = (over: Partial<DailyJob>): DailyJob => ({
  name: "retention",
  cron: "15 3 * * *",
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
  await Promise.all([start(job({ run })), start(job({ run }))]);
  await eventually(() => ran > 0);
  await sleep(1500);
  expect(ran).toBe(1);
});

it("waits for its hour when it was done today", async () => {
  let ran = 0;
  await start(job({ run: async () => void ran++, lastRanAt: async () => new Date() }));
  await sleep(1500);
  expect(ran).toBe(0);
  const schedules = await appSql()`SELECT name, cron, timezone FROM pgboss.schedule WHERE name = 'retention'`;
  expect([...schedules]).toEqual([{ name: "retention", cron: "15 3 * * *", timezone: "UTC" }]);
});

it("is stopped by the end of the process and tried again later", async () => {
  let stopped = false;
  const run = (signal: AbortSignal) =>
    new Promise<void>((_, reject) =>
      signal.addEventListener("abort", () => {
        stopped = true;
        reject(new Error("stopped"));
      }),
    );
  await start(job({ run }));
  await sleep(1000);
  await workers.pop()?.stop();
  expect(stopped).toBe(true);
  const [left] = await appSql()`SELECT state::text FROM pgboss.job WHERE name = 'retention'`;
  expect(left?.state).toBe("retry");
});

it("takes the real jobs, with no right on the tables but that on their rows", async () => {
  await retentionJob.run(AbortSignal.timeout(60_000));
  expect(await retentionJob.lastRanAt()).not.toBe(undefined);
  await verificationJob.lastRanAt();
});
