import { beforeAll, describe, expect, it } from "vitest";
import { call, createDevice, createUser, type TestDevice, type TestUser } from "@/testing/factories";

const EVENTS = [
  {
    timestamp: "2026-05-01T10:00:00Z",
    level: "info",
    category: "system",
    source: "systemd",
    eventId: "1",
    message: "a",
  },
  {
    timestamp: "2026-05-01T11:00:00Z",
    level: "warning",
    category: "security",
    source: "sshd",
    eventId: "2",
    message: "b",
  },
  {
    timestamp: "2026-05-01T12:00:00Z",
    level: "error",
    category: "hardware",
    source: "kernel",
    eventId: "3",
    message: "c",
  },
  {
    timestamp: "2026-05-01T12:00:00Z",
    level: "critical",
    category: "system",
    source: "Kernel",
    eventId: "4",
    message: "d",
  },
];

describe("GET /devices/:id/eventlogs", () => {
  let device: TestDevice;
  let user: TestUser;
  beforeAll(async () => {
    device = await createDevice();
    user = await createUser({ role: "org_technician", orgId: device.orgId });
    await call(device, `PUT /agents/${device.agentId}/eventlogs`, { events: EVENTS });
  });

  const list = (query = "", id = device.id) => call(user, `GET /devices/${id}/eventlogs?${query}`);
  const messages = async (query: string) => (await list(query)).body.data.map((e: { message: string }) => e.message);

  it("returns newest first with pagination", async () => {
    expect(await messages("")).toEqual(["d", "c", "b", "a"]);
    const second = await list("limit=3&page=2");
    expect(second.body).toMatchObject({
      data: [{ message: "a", deviceId: device.id, orgId: device.orgId, details: null }],
      pagination: { page: 2, limit: 3, total: 4, totalPages: 2 },
    });
    expect((await list()).body.pagination.limit).toBe(50);
    expect((await list("limit=9999")).body.pagination.limit).toBe(500);
  });

  it("filters by category, level in any vocabulary, and exact source", async () => {
    expect(await messages("category=system")).toEqual(["d", "a"]);
    expect(await messages("level=WARN")).toEqual(["b"]);
    expect(await messages("level=information")).toEqual(["a"]);
    expect(await messages("source=kernel")).toEqual(["c"]);
    expect(await messages("category=system&level=critical&source=Kernel")).toEqual(["d"]);
  });

  it("accepts several values and matches any of them", async () => {
    expect(await messages("level=WARN,info")).toEqual(["b", "a"]);
    expect(await messages("level=warning&level=info")).toEqual(["b", "a"]);
    expect(await messages("category=system,security")).toEqual(await messages("category=security&category=system"));
    expect(await messages("source=kernel&source=Kernel")).toEqual(["d", "c"]);
    expect(await messages("level=&category=")).toEqual(["d", "c", "b", "a"]);
    expect((await list("level=info,loud")).status).toBe(400);
  });

  it("filters by time, with inclusive ends", async () => {
    expect(await messages("startDate=2026-05-01T11:00:00Z&endDate=2026-05-01T13:00:00%2B01:00")).toEqual([
      "d",
      "c",
      "b",
    ]);
  });
});
