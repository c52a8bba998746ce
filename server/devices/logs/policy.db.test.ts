import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { agentLogs, deviceEventLogs, deviceLogPolicies } from "@/db/schema";
import { flushRecording } from "@/server/audit/record/record";
import { auditRows, call, changeRows, createDevice, createUser, type TestDevice } from "@/testing/factories";
import { atOnce, cutOffAt } from "@/testing/held-rows";
import { pruneDeviceLogs } from "./prune";

const MS_PER_DAY = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * MS_PER_DAY);

/** Rows of so many ages in days, all received long ago. */
async function fill(device: TestDevice, ages: number[], createdAt = daysAgo(5)): Promise<void> {
  const { id: deviceId, orgId } = device;
  const common = { deviceId, orgId, createdAt, message: "m" };
  await asSystem(async (tx) => {
    for (const [i, age] of ages.entries()) {
      const timestamp = daysAgo(age);
      await tx
        .insert(deviceEventLogs)
        .values({ ...common, timestamp, level: "info", category: "system", source: "s", eventId: `${i}` });
      await tx.insert(agentLogs).values({ ...common, timestamp, level: "info", component: "c" });
    }
  });
}
const counts = (orgId: string) =>
  asSystem(async (tx) => [
    await tx.$count(agentLogs, eq(agentLogs.orgId, orgId)),
    await tx.$count(deviceEventLogs, eq(deviceEventLogs.orgId, orgId)),
  ]);

describe("timestamps in the future", () => {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

  it("are accepted for logs, and up to a day ahead for events", async () => {
    const device = await createDevice();
    const path = `/agents/${device.agentId}`;
    const send = async (timestamp: string) => [
      await call(device, `POST ${path}/logs`, {
        logs: [{ timestamp, level: "info", component: "c", message: "m" }],
      }),
      await call(device, `PUT ${path}/eventlogs`, {
        events: [{ timestamp, level: "info", category: "system", source: "s", message: "m" }],
      }),
    ];
    expect((await send(inHours(23))).map(({ status }) => status)).toEqual([201, 200]);
    const [ofLog, ofEvent] = await send(inHours(25));
    expect(ofLog?.status).toBe(201);
    expect([ofEvent?.status, ofEvent?.body.errors[0]]).toEqual([
      400,
      { path: "events.0.timestamp", message: "lies more than 24 hours in the future" },
    ]);
    expect(await counts(device.orgId)).toEqual([2, 1]);
  });

  it("do not extend a log's retention", async () => {
    const device = await createDevice();
    await fill(device, [-4_000, -0.5, 1], daysAgo(40));
    await fill(await createDevice({ orgId: device.orgId }), [-5_000], daysAgo(20));
    await pruneDeviceLogs({ orgIds: [device.orgId] });
    expect(await counts(device.orgId)).toEqual([3, 4]);
  });
});

describe("device log retention", () => {
  let device: TestDevice;
  let admin: Awaited<ReturnType<typeof createUser>>;
  const path = () => `/orgs/organizations/${device.orgId}/device-log-retention`;
  beforeAll(async () => {
    device = await createDevice();
    admin = await createUser({ orgId: device.orgId, role: "org_admin" });
    await fill(device, [1, 20, 40, 80, 100, 200]);
  });

  it("defaults to 30 and 90 days, and shows what is stored", async () => {
    const answer = await call(admin, `GET ${path()}`);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        configured: true,
        diagnosticDays: 30,
        eventDays: 90,
        storage: { diagnostic: { rows: 6, isEstimated: false }, events: { rows: 6, isEstimated: false } },
      },
    });
  });

  it("previews the deletion and accepts only whole days from 1 to 3650", async () => {
    const look = (diagnosticDays: number, eventDays: number) =>
      call(admin, `GET ${path()}/preview?diagnosticDays=${diagnosticDays}&eventDays=${eventDays}`);
    expect((await look(30, 90)).body).toMatchObject({ diagnostic: { rows: 4 }, events: { rows: 2, isAtLeast: false } });
    expect((await look(0, 90)).status).toBe(400);
    expect((await look(30, 3651)).status).toBe(400);
  });

  it("deletes older rows, keeps the others and records it", async () => {
    await pruneDeviceLogs({ orgIds: [device.orgId] });
    expect(await counts(device.orgId)).toEqual([2, 4]);
    await flushRecording(60_000);
    const rows = await auditRows(device.orgId);
    expect(rows.find(({ action }) => action === "organization.device_logs.prune")?.details).toMatchObject({
      diagnostic: 4,
      events: 2,
    });
  });

  it("records a run that the database ended early, and continues with the next", async () => {
    const cutDevice = await createDevice();
    const { orgId } = cutDevice;
    await fill(cutDevice, [1, 100, 200]);
    const events = sql`SELECT FROM device_event_logs WHERE org_id = ${orgId} FOR UPDATE`;
    const [cut] = await cutOffAt(events, () => pruneDeviceLogs({ orgIds: [orgId] }));
    expect(cut).toMatchObject({ orgId, diagnostic: 2, events: 0, error: expect.any(String) });
    expect(await pruneDeviceLogs({ orgIds: [orgId] })).toEqual([{ orgId, diagnostic: 0, events: 2 }]);
    await flushRecording(60_000);
    const pruned = (await auditRows(orgId)).filter(({ action }) => action === "organization.device_logs.prune");
    expect(pruned.map(({ details }) => details)).toMatchObject([
      { diagnostic: 2, events: 0 },
      { diagnostic: 0, events: 2 },
    ]);
  });

  it("uses the policy saved during a run", async () => {
    const changed = await createDevice();
    const { orgId } = changed;
    await fill(changed, [1, 100, 200, 400]);
    // The run reads the policy of 30 and 90 days; where it removes something, this is committed.
    const saving = sql`WITH saved AS (
        UPDATE device_log_policies SET diagnostic_days = 365, event_days = 365 WHERE org_id = ${orgId} RETURNING org_id)
      SELECT FROM agent_logs WHERE org_id = ${orgId} FOR UPDATE`;
    await atOnce(saving, [() => pruneDeviceLogs({ orgIds: [orgId] })]);
    expect(await counts(orgId)).toEqual([3, 3]);
    await changeRows(deviceLogPolicies, { orgId }, { eventDays: 7 });
    await pruneDeviceLogs({ orgIds: [orgId] });
    expect(await counts(orgId)).toEqual([3, 1]);
  });

  it("does not store a deleted event again, but accepts one within the window", async () => {
    const event = (age: number, eventId: string) => ({
      ...{
        timestamp: daysAgo(age).toISOString(),
        level: "info",
        category: "system",
        source: "s",
        message: "m",
        eventId,
      },
    });
    const events = [event(100, "4"), event(200, "5"), event(10, "new"), event(1, "0")];
    const answer = await call(device, `PUT /agents/${device.agentId}/eventlogs`, { events });
    expect(answer.body).toMatchObject({ success: true, count: 1 });
    expect(await counts(device.orgId)).toEqual([2, 5]);
  });

  it("skips an organization during its notice period until someone saves", async () => {
    const other = await createDevice();
    const owner = await createUser({ orgId: other.orgId, role: "org_admin" });
    await fill(other, [200]);
    const notice = { pruneFrom: new Date(Date.now() + 30 * MS_PER_DAY) };
    await changeRows(deviceLogPolicies, { orgId: other.orgId }, notice);
    await pruneDeviceLogs({ orgIds: [other.orgId] });
    expect(await counts(other.orgId)).toEqual([1, 1]);
    const body = { diagnosticDays: 365, eventDays: 7 };
    const saved = await call(owner, `PUT /orgs/organizations/${other.orgId}/device-log-retention`, body);
    expect(saved).toMatchObject({ status: 200, body: { diagnosticDays: 365, eventDays: 7 } });
    await pruneDeviceLogs({ orgIds: [other.orgId] });
    expect(await counts(other.orgId)).toEqual([1, 0]);
  });

  it("keeps rows received within the last day, whatever their timestamp", async () => {
    const late = await createDevice();
    await fill(late, [400]);
    await asSystem((tx) =>
      tx.execute(sql`UPDATE device_event_logs SET created_at = now() WHERE org_id = ${late.orgId}`),
    );
    await pruneDeviceLogs({ orgIds: [late.orgId] });
    expect(await counts(late.orgId)).toEqual([0, 1]);
  });
});
