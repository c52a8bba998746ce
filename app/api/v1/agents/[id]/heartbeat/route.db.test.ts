import { describe, expect, it } from "vitest";
import { devices } from "@/db/schema";
import { HEARTBEAT_INTERVAL_SECONDS } from "@/server/devices/agents/schema";
import { auditRows, call, createDevice, rowsIn, type TestDevice } from "@/testing/factories";

const beat = (device: TestDevice, over: { body?: object; ip?: string } = {}) =>
  call({ token: device, ip: over.ip ?? "192.0.2.1" }, `POST /agents/${device.agentId}/heartbeat`, over.body ?? {});

const deviceRow = async (id: string) => (await rowsIn(devices, { id }))[0];

const entriesOf = async ({ orgId }: TestDevice, action: string) =>
  (await auditRows(orgId)).filter((row) => row.action === action);
const ipChanges = (device: TestDevice) => entriesOf(device, "agent.source.ip.changed");

describe("POST /agents/:id/heartbeat", () => {
  it("stores the time, source address and content of a heartbeat", async () => {
    const device = await createDevice();
    const before = Date.now();
    const answer = await beat(device, {
      body: { agentVersion: "2.0", status: "ok", metrics: { load: 0.5, "k\0": "v" } },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ok: true, intervalSeconds: HEARTBEAT_INTERVAL_SECONDS });
    const row = await deviceRow(device.id);
    expect(row).toMatchObject({
      agentVersion: "2.0",
      status: "ok",
      lastIp: "192.0.2.1",
      metrics: { load: 0.5, "k\ufffd": "v" },
    });
    const seen = row?.lastSeenAt?.getTime();
    expect(seen).toBeGreaterThanOrEqual(before);
    expect(seen).toBeLessThanOrEqual(Date.now());
    await beat(device);
    expect(await deviceRow(device.id)).toMatchObject({ agentVersion: "2.0", status: "ok" });
  });

  it("audits only a changed source address, with the old and the new one", async () => {
    const device = await createDevice();
    for (const ip of ["192.0.2.1", "192.0.2.1", "2001:db8::7", "2001:db8::7"]) await beat(device, { ip });
    const rows = await ipChanges(device);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      actorType: "agent",
      resourceId: device.id,
      ipAddress: "2001:db8::7",
      details: { previousIp: "192.0.2.1", currentIp: "2001:db8::7" },
    });
  });

  it("audits a change once when heartbeats arrive concurrently", async () => {
    const device = await createDevice({ lastIp: "192.0.2.1" });
    await Promise.all(Array.from({ length: 8 }, () => beat(device, { ip: "192.0.2.9" })));
    expect(await ipChanges(device)).toHaveLength(1);
  });

  it("renames the device when the machine was renamed, audited once with both names", async () => {
    const device = await createDevice({ hostname: "OLD-PC" });
    const unchanged = await deviceRow(device.id);
    await beat(device, { body: { hostname: "OLD-PC" } });
    expect((await deviceRow(device.id))?.updatedAt).toEqual(unchanged?.updatedAt);
    for (const body of [{ hostname: "NEW-PC" }, { hostname: "NEW-PC" }, {}]) await beat(device, { body });
    const row = await deviceRow(device.id);
    expect(row?.hostname).toBe("NEW-PC");
    expect(row?.updatedAt.getTime()).toBeGreaterThan(unchanged?.updatedAt.getTime() ?? 0);
    expect(await entriesOf(device, "device.update")).toMatchObject([
      {
        actorType: "agent",
        resourceId: device.id,
        resourceName: "NEW-PC",
        details: { before: { hostname: "OLD-PC" }, after: { hostname: "NEW-PC" } },
      },
    ]);
    expect((await beat(device, { body: { hostname: " " } })).status).toBe(400);
  });

  it("rejects metrics that are not an object or are too long", async () => {
    const device = await createDevice();
    for (const metrics of ["x", { text: "x".repeat(20_000) }])
      expect((await beat(device, { body: { metrics } })).body.errors[0].path).toBe("metrics");
  });
});
