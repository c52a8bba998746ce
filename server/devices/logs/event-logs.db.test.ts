import { describe, expect, it } from "vitest";
import type { Ctx } from "@/server/ground/context";
import { createDevice, ctxFor, type TestDevice } from "@/testing/factories";
import { EVENT_CATEGORIES, EVENT_LEVELS, eventLogPage, ingestInput, listInput } from "./event-log-schema";
import { ingestEvents, listEvents } from "./event-logs";

const agentCtx = async (device: TestDevice): Promise<Ctx> => ({
  ...(await ctxFor(device)),
  actor: { type: "agent", id: device.agentId, deviceId: device.id, hostname: "PC-1" },
});

const event = (n: number) => ({
  // Two share each moment, so that the tie-break counts.
  timestamp: new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 2) * 1000),
  level: EVENT_LEVELS[n % 4] as (typeof EVENT_LEVELS)[number],
  category:
    n % 50 === 0 ? ("hardware" as const) : (EVENT_CATEGORIES[n % 3 === 0 ? 0 : 2] as "security" | "application"),
  source: n % 2 ? "disk" : "MsiInstaller",
  eventId: `e${n}`,
  message: `m${n}`,
});

describe("stored events", () => {
  it("match a full scan in rows and order for every combination of filters", async () => {
    const device = await createDevice();
    const ctx = await agentCtx(device);
    const events = Array.from({ length: 300 }, (_, n) => event(n));
    expect(await ingestEvents.run(ctx, { id: device.agentId, events })).toEqual({ success: true, count: 300 });
    expect(await ingestEvents.run(ctx, { id: device.agentId, events })).toEqual({ success: true, count: 0 });
    const ask = async (query: object) =>
      eventLogPage.parse(await listEvents.run(ctx, listInput.parse({ id: device.id, ...query })));
    const all = (await ask({ limit: "500" })).data;
    expect(all).toHaveLength(300);
    for (const category of [undefined, ...EVENT_CATEGORIES])
      for (const level of [undefined, ...EVENT_LEVELS])
        for (const more of [
          {},
          { source: "disk" },
          { startDate: "2026-01-01T00:01:00Z", endDate: "2026-01-01T00:02:00Z" },
        ]) {
          const expected = all.filter(
            (e) =>
              (!category || e.category === category) &&
              (!level || e.level === level) &&
              (!("source" in more) || e.source === more.source) &&
              (!("startDate" in more) ||
                (e.timestamp >= "2026-01-01T00:01" && e.timestamp <= "2026-01-01T00:02:00.000Z")),
          );
          const page = await ask({
            ...(category ? { category } : {}),
            ...(level ? { level } : {}),
            ...more,
            page: "2",
            limit: "7",
          });
          expect(page.pagination.total).toBe(expected.length);
          expect(page.data).toEqual(expected.slice(7, 14));
        }
  });

  it("are ordered by microseconds within one millisecond", async () => {
    const device = await createDevice();
    const ctx = await agentCtx(device);
    const events = [3, 1, 2].map((n) => ({
      ...event(n),
      timestamp: `2026-01-01T00:00:00.00000${n}Z`,
      message: `m${n}`,
      source: "disk",
    }));
    await ingestEvents.run(ctx, ingestInput.parse({ id: device.agentId, events }));
    const { data } = await listEvents.run(ctx, listInput.parse({ id: device.id }));
    expect(data.map(({ message }) => message)).toEqual(["m3", "m2", "m1"]);
  });

  it("are not merged if their IDs are blank", async () => {
    const device = await createDevice();
    const events = [" ", " ", ""].map((eventId) => ({ ...event(1), eventId }));
    expect(await ingestEvents.run(await agentCtx(device), { id: device.agentId, events })).toMatchObject({ count: 3 });
  });

  it("have secrets in details masked before storage", async () => {
    const device = await createDevice();
    const ctx = await agentCtx(device);
    const details = { commandLine: "net use", apiKey: "abc", nested: [{ Password: "hunter2", ok: true }] };
    await ingestEvents.run(ctx, { id: device.agentId, events: [{ ...event(1), details }] });
    const { data } = await listEvents.run(ctx, listInput.parse({ id: device.id }));
    expect(data[0]?.details).toEqual({
      commandLine: "net use",
      apiKey: "[redacted]",
      nested: [{ Password: "[redacted]", ok: true }],
    });
  });
});
