import { describe, expect, it } from "vitest";
import { agentLogs } from "@/db/schema";
import type { WireLogEntry } from "@/server/devices/logs/agent-log-schema";
import { call, createDevice, rowsIn, type TestDevice } from "@/testing/factories";

const entry = (over: Partial<Record<keyof WireLogEntry, unknown>> = {}) => ({
  timestamp: "2026-05-01T10:00:00Z",
  level: "warn",
  component: "updater",
  message: "retrying",
  ...over,
});

const post = (device: TestDevice, logs: unknown, id = device.agentId) =>
  call(device, `POST /agents/${id}/logs`, { logs });

const stored = (device: TestDevice) => rowsIn(agentLogs, { deviceId: device.id });

describe("POST /agents/:id/logs", () => {
  it("stores entries with every field and returns 201 with their number", async () => {
    const device = await createDevice();
    const full = entry({ fields: { attempt: 3, tags: ["a"] }, agentVersion: "1.0.0" });
    expect(await post(device, [full, entry()])).toMatchObject({ status: 201, body: { received: 2 } });
    const rows = await stored(device);
    expect(rows).toHaveLength(2);
    expect(rows.find((r) => r.agentVersion)).toMatchObject({
      orgId: device.orgId,
      timestamp: new Date("2026-05-01T10:00:00Z"),
      level: "warn",
      component: "updater",
      message: "retrying",
      fields: { attempt: 3, tags: ["a"] },
      agentVersion: "1.0.0",
    });
  });

  it("accepts 0 to 500 entries", async () => {
    const device = await createDevice();
    expect(await post(device, [])).toMatchObject({ status: 201, body: { received: 0 } });
    const many = Array.from({ length: 500 }, () => entry());
    expect(await post(device, many)).toMatchObject({ status: 201, body: { received: 500 } });
    expect((await post(device, [...many, entry()])).status).toBe(400);
    expect(await stored(device)).toHaveLength(500);
  });

  it("rejects a whole batch and names the error", async () => {
    const device = await createDevice();
    for (const [over, path] of [
      [{ component: "c".repeat(101) }, "logs.3.component"],
      [{ component: undefined }, "logs.3.component"],
      [{ level: "warning" }, "logs.3.level"],
      [{ level: "WARN" }, "logs.3.level"],
      [{ timestamp: 1_700_000_000 }, "logs.3.timestamp"],
      [{ timestamp: "10000-01-01T00:00:00Z" }, "logs.3.timestamp"],
      [{ timestamp: "9999-12-31T23:59:59-01:00" }, "logs.3.timestamp"],
      [{ message: null }, "logs.3.message"],
      [{ fields: [] }, "logs.3.fields"],
      [{ agentVersion: "v".repeat(51) }, "logs.3.agentVersion"],
    ] as const) {
      const answer = await post(device, [entry(), entry(), entry(), entry(over)]);
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].path).toBe(path);
    }
    expect(await stored(device)).toHaveLength(0);
  });
});
