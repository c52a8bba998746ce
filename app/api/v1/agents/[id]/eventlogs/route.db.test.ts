import { beforeAll, describe, expect, it } from "vitest";
import { deviceEventLogs } from "@/db/schema";
import { MAX_EVENTS_PER_REQUEST, type WireEvent } from "@/server/devices/logs/event-log-schema";
import { auditRows, call, createDevice, rowsIn, type TestDevice } from "@/testing/factories";

const event = (over: Partial<Record<keyof WireEvent, unknown>> = {}) => ({
  timestamp: "2026-05-01T10:00:00.123+02:00",
  level: "error",
  category: "system",
  source: "kernel",
  eventId: crypto.randomUUID(),
  message: "something happened",
  ...over,
});

const put = (device: TestDevice, events: unknown, over: object = {}) =>
  call({ token: device, ...over }, `PUT /agents/${device.agentId}/eventlogs`, { events });

const stored = (device: TestDevice) => rowsIn(deviceEventLogs, { deviceId: device.id });

describe("PUT /agents/:id/eventlogs", () => {
  let device: TestDevice;
  beforeAll(async () => {
    device = await createDevice();
  });

  it("stores events with every field", async () => {
    const own = await createDevice();
    const answer = await put(own, [event({ eventId: "e1", details: { pid: 7, nested: { a: [1, "two", null] } } })]);
    expect(answer).toMatchObject({ status: 200, body: { success: true, count: 1 } });
    expect(await stored(own)).toMatchObject([
      {
        orgId: own.orgId,
        timestamp: new Date("2026-05-01T08:00:00.123Z"),
        level: "error",
        category: "system",
        source: "kernel",
        eventId: "e1",
        message: "something happened",
        details: { pid: 7, nested: { a: [1, "two", null] } },
      },
    ]);
  });

  it("counts only new events: a re-sent batch changes nothing", async () => {
    const own = await createDevice();
    const events = Array.from({ length: 250 }, () => event());
    expect((await put(own, events)).body.count).toBe(250);
    expect((await put(own, events)).body.count).toBe(0);
    expect((await put(own, [...events.slice(0, 10), event()])).body.count).toBe(1);
    expect(await stored(own)).toHaveLength(251);
  });

  it("merges equal keys within one request, but not one eventId from two sources or two devices", async () => {
    const [own, other] = [await createDevice(), await createDevice()];
    const same = event({ eventId: "42" });
    expect((await put(own, [same, same, { ...same, source: "disk" }])).body.count).toBe(2);
    expect((await put(other, [same])).body.count).toBe(1);
  });

  it("never merges events without an eventId; an empty one counts as missing", async () => {
    const own = await createDevice();
    const { eventId: _, ...bare } = event();
    expect(
      (await put(own, [bare, bare, { ...bare, eventId: null }, event({ eventId: "" }), event({ eventId: "" })])).body
        .count,
    ).toBe(5);
  });

  it("accepts 500 events and rejects 501", async () => {
    const own = await createDevice();
    const events = Array.from({ length: MAX_EVENTS_PER_REQUEST }, () => event());
    expect((await put(own, events)).body.count).toBe(500);
    expect(await put(own, [...events, event()])).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  });

  it("rejects a whole batch and names the error", async () => {
    const own = await createDevice();
    for (const [over, path] of [
      [{ level: "warn" }, "events.1.level"],
      [{ category: "network" }, "events.1.category"],
      [{ timestamp: "yesterday" }, "events.1.timestamp"],
      [{ timestamp: "2026-05-01T10:00:00" }, "events.1.timestamp"],
      [{ timestamp: "1969-12-31T23:59:59Z" }, "events.1.timestamp"],
      [{ timestamp: "2026-02-30T00:00:00Z" }, "events.1.timestamp"],
      [{ source: "s".repeat(256) }, "events.1.source"],
      [{ eventId: "e".repeat(101) }, "events.1.eventId"],
      [{ message: undefined }, "events.1.message"],
      [{ details: "text" }, "events.1.details"],
      [{ details: [1] }, "events.1.details"],
    ] as const) {
      const answer = await put(own, [event(), event(over)]);
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].path).toBe(path);
    }
    expect(await stored(own)).toHaveLength(0);
  });

  it("measures length in characters like the column, not in UTF-16 units", async () => {
    expect((await put(device, [event({ eventId: "😀".repeat(100) })])).body.count).toBe(1);
    expect((await put(device, [event({ eventId: "😀".repeat(101) })])).status).toBe(400);
  });

  it("handles concurrent batches with the same keys in opposite order", async () => {
    const own = await createDevice();
    const events = Array.from({ length: 300 }, (_, i) => event({ eventId: `k${i}` }));
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => put(own, i % 2 ? [...events].reverse() : events)),
    );
    expect(answers.map((a) => a.status)).toEqual(answers.map(() => 200));
    expect(answers.reduce((sum, a) => sum + a.body.count, 0)).toBe(300);
  });

  it("records agent.eventlogs.submit with counts, only if an event is new", async () => {
    const own = await createDevice();
    await put(own, [event({ eventId: "1" }), event({ eventId: "1" }), event({ category: "security" })]);
    await put(own, []);
    await put(own, [event({ eventId: "1" })]);
    const rows = (await auditRows(own.orgId)).filter(({ action }) => action === "agent.eventlogs.submit");
    expect(rows).toMatchObject([
      {
        actorType: "agent",
        actorId: own.agentId,
        resourceType: "device",
        resourceId: own.id,
        resourceName: own.hostname,
        details: { received: 3, inserted: 2, categories: { system: 2, security: 1 } },
      },
    ]);
  });
});
