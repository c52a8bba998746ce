import { expect, it, vi } from "vitest";
import { asSystem } from "@/db/client";
import { reportSchedules, userTokens } from "@/db/schema";
import { handOutPasswordLink } from "@/server/identity/auth/links/password-link";
import { chainOf, roles } from "@/testing/chain";
import { call, changeRows, createOrg, createUser, rowsIn, type TestUser } from "@/testing/factories";
import { startMailServer } from "@/testing/mail-server";
import { elapsedMs, quickest } from "@/testing/quickest";
import { tempFolder } from "@/testing/temp-folder";

/** Reports that are due before any other, each of a person of their own. */
function dueReports(count: number): Promise<TestUser[]> {
  // Routes are loaded when asked, and must not share the closed database of a process stopped before.
  vi.resetModules();
  return Promise.all(
    Array.from({ length: count }, async () => {
      const token = await createUser();
      const { body } = await call(token, "POST /report-schedules", {
        report: "security",
        cadence: "weekly",
        timeZone: "UTC",
      });
      await changeRows(reportSchedules, { id: body.id }, { nextRunAt: new Date(0) });
      return token;
    }),
  );
}

type Stop = typeof import("./service").stopService;

/** As long as it takes: how fast the work ends is the machine's. */
const PATIENT = { work: 60_000, brokenOff: 500 };

/** A process that records: what it closes at its end is its own. */
async function startRecorder(): Promise<{ stop: Stop }> {
  vi.resetModules();
  const { withSettings } = await import("@/testing/settings");
  withSettings({ SMTP_URL: "smtp://127.0.0.1:9", SMTP_FROM: "Trailmark <trailmark@example.test>" });
  const { startRecording } = await import("@/server/audit/record/record");
  await startRecording({ dir: tempFolder() });
  const { stopService } = await import("./service");
  return { stop: stopService };
}

/** One that works in the background as well. */
async function startProcess(): Promise<{ stop: Stop }> {
  const { stop } = await startRecorder();
  const { reportJob } = await import("@/server/notify/report-schedules/run");
  const { enqueue } = await import("@/server/ground/jobs");
  const { startWorkers } = await import("./workers");
  // Test files share a database, and others leave work behind.
  await roles.owner`DELETE FROM graphile_worker._private_jobs`;
  await startWorkers();
  await asSystem((tx) => enqueue(tx, reportJob, { data: {}, key: "now" }));
  return { stop };
}

/** Keeps a report from being queued, as a database that is busy would, until `release` is called. */
async function holdReports(): Promise<{ isMet: () => Promise<boolean>; release: () => Promise<void> }> {
  const holder = await roles.owner.reserve();
  await holder`BEGIN`;
  await holder`LOCK TABLE notification_deliveries IN SHARE MODE`;
  // Other work may wait for the table too: a report holds the schedule that it has claimed.
  const isMet = async () => {
    const waiting = await roles.owner`
      SELECT 1 FROM pg_locks queued JOIN pg_locks claim USING (pid)
      WHERE queued.relation = 'notification_deliveries'::regclass AND NOT queued.granted
        AND claim.relation = 'report_schedules'::regclass AND claim.mode = 'RowShareLock' AND claim.granted`;
    return waiting.length > 0;
  };
  const release = async () => {
    await holder`COMMIT`;
    holder.release();
  };
  return { isMet, release };
}

const exported = async ({ orgId }: TestUser) =>
  (await chainOf(orgId as string)).filter(({ action }) => action === "audit_logs.export").length;

it("records background work that ends during shutdown and starts no further report", async () => {
  const people = await dueReports(2);
  const { isMet, release } = await holdReports();
  const { stop } = await startProcess();
  await expect.poll(isMet).toBe(true);
  const stopped = stop(PATIENT);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await release();
  await stopped;
  const entries = await Promise.all(people.map(exported));
  expect(entries.sort()).toEqual([0, 1]);
});

it("writes pending events even if the relay cannot close its connection", async () => {
  vi.doMock("@/server/devices/live/relay", async (original) => ({
    ...(await original<object>()),
    stopRelay: () => Promise.reject(new Error("the connection is closed")),
  }));
  const { stop } = await startProcess();
  vi.doUnmock("@/server/devices/live/relay");
  const { record } = await import("@/server/audit/record/record");
  const { systemCtx } = await import("@/server/ground/context");
  const { id: orgId } = await createOrg();
  record(systemCtx(), { action: "device.create", orgId, resourceType: "device" });
  await stop(PATIENT);
  expect((await chainOf(orgId)).map(({ action }) => action)).toEqual(["device.create"]);
});

it("records a password link emailed during shutdown and ends earlier links", async () => {
  const person = await createUser();
  await handOutPasswordLink({ userId: person.id, kind: "reset", replaces: [], now: new Date() }, async () => {});
  let take = () => {};
  const taken = new Promise<void>((resolve) => {
    take = resolve;
  });
  const mail = await startMailServer({ slow: () => taken });
  const { stop } = await startRecorder();
  const { withSettings } = await import("@/testing/settings");
  withSettings({ SMTP_URL: mail.url });
  expect((await call(null, "POST /auth/password/forgot", { email: person.email })).status).toBe(202);
  await expect.poll(() => mail.mails.filter(({ to }) => to.includes(person.email))).toHaveLength(1);
  const stopped = stop(PATIENT);
  take();
  await stopped;
  const entries = await chainOf(person.orgId as string);
  expect(entries).toMatchObject([{ action: "user.password.reset.request", result: "success" }]);
  const links = await rowsIn(userTokens, { userId: person.id });
  expect(links).toHaveLength(1);
  await mail.close();
});

it("exits within ten seconds despite work that does not end", async () => {
  const attempt = async () => {
    await dueReports(1);
    const { isMet, release } = await holdReports();
    const { stop } = await startProcess();
    await expect.poll(isMet).toBe(true);
    const ended = elapsedMs(() => stop());
    const took = await Promise.race([ended, new Promise<number>((resolve) => setTimeout(resolve, 30_000, 30_000))]);
    await release();
    await ended;
    return took;
  };
  expect(await quickest(9_000, attempt)).toBeLessThan(9_000);
});
