import { beforeAll, describe, expect, it } from "vitest";
import { call, createDevice, createUser, type TestDevice, type TestUser } from "@/testing/factories";

const LOGS = [
  { timestamp: "2026-05-01T10:00:00Z", level: "debug", component: "ws", message: "50% done" },
  { timestamp: "2026-05-01T11:00:00Z", level: "info", component: "ws", message: "500 done" },
  { timestamp: "2026-05-01T12:00:00Z", level: "warn", component: "updater", message: "Slow MIRROR", fields: { ms: 7 } },
  { timestamp: "2026-05-01T13:00:00Z", level: "error", component: "Updater", message: "gave up" },
];

describe("GET /devices/:id/diagnostic-logs", () => {
  let device: TestDevice;
  let user: TestUser;
  beforeAll(async () => {
    device = await createDevice();
    user = await createUser({ role: "org_viewer", orgId: device.orgId });
    await call(device, `POST /agents/${device.agentId}/logs`, { logs: LOGS });
  });

  const list = (query = "", id = device.id) => call(user, `GET /devices/${id}/diagnostic-logs?${query}`);
  const messages = async (query: string) => (await list(query)).body.logs.map((l: { message: string }) => l.message);

  it("returns newest first with total, limit and offset", async () => {
    const { body } = await list();
    expect(body).toMatchObject({ total: 4, limit: 100, offset: 0 });
    expect(body.logs.map((l: { timestamp: string }) => l.timestamp)).toEqual(
      [...LOGS].reverse().map((l) => new Date(l.timestamp).toISOString()),
    );
    expect(body.logs[1]).toMatchObject({ deviceId: device.id, fields: { ms: 7 }, agentVersion: null });
    expect((await list("limit=3&page=2")).body).toMatchObject({
      total: 4,
      limit: 3,
      offset: 3,
      logs: [{ message: "50% done" }],
    });
    expect((await list("limit=5000")).body.limit).toBe(1000);
  });

  it("accepts several levels, in any case and vocabulary", async () => {
    expect(await messages("level=Warning,ERROR")).toEqual(["gave up", "Slow MIRROR"]);
    expect(await messages("level=information,%20debug")).toEqual(["500 done", "50% done"]);
    expect((await list("level=loud")).status).toBe(400);
  });

  it("matches the component exactly and the message anywhere, with literal wildcards", async () => {
    expect(await messages("component=updater")).toEqual(["Slow MIRROR"]);
    expect(await messages("component=updater&component=nothing")).toEqual(["Slow MIRROR"]);
    expect(await messages("search=mirror")).toEqual(["Slow MIRROR"]);
    expect(await messages("search=50%25")).toEqual(["50% done"]);
    expect(await messages("search=_")).toEqual([]);
  });

  it("filters by time, with inclusive ends", async () => {
    expect(await messages("since=2026-05-01T11:00:00Z&until=2026-05-01T12:00:00Z")).toEqual([
      "Slow MIRROR",
      "500 done",
    ]);
    for (const query of [
      "since=soon",
      "until=2026-13-01T00:00:00Z",
      "since=2026-05-02T00:00:00Z&until=2026-05-01T00:00:00Z",
    ])
      expect((await list(query)).status).toBe(400);
  });

  it("keeps entries of the same millisecond in a stable order across pages", async () => {
    const own = await createDevice({ orgId: device.orgId });
    const logs = Array.from({ length: 250 }, (_, i) => ({ ...LOGS[0], message: String(i) }));
    await call(own, `POST /agents/${own.agentId}/logs`, { logs });
    const pages = await Promise.all([1, 2, 3].map((page) => list(`limit=100&page=${page}`, own.id)));
    const seen = pages.flatMap((p) => p.body.logs.map((l: { message: string }) => Number(l.message)));
    expect(seen).toEqual(logs.map((_, i) => 249 - i));
  });
});
