import { beforeAll, describe, expect, it } from "vitest";
import type { RowInput } from "@/server/audit/record/to-row";
import { type FullEntry, listInput } from "@/server/audit/schema";
import { appendEvents } from "@/testing/audit-entries";
import {
  call,
  createDevice,
  createOrg,
  createPartner,
  createUser,
  ctxFor,
  type TestOrg,
  type TestUser,
} from "@/testing/factories";
import { listEntries } from "./list";

const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 12, minute));

describe("audit lists", () => {
  let org: TestOrg;
  let jane: TestUser;
  let rows: RowInput[];

  beforeAll(async () => {
    org = await createOrg();
    jane = await createUser({
      orgId: org.id,
      role: "org_admin",
      name: "Jane O'Neil_100%",
      email: undefined,
      department: "Ops",
    });
    const device = await createDevice({ orgId: org.id, hostname: "WS-042" });
    const base = { orgId: org.id };
    rows = await appendEvents([
      {
        ...base,
        timestamp: at(1),
        actorType: "user",
        actorId: jane.id,
        actorEmail: jane.email,
        action: "user.login",
        resourceType: "user",
        ipAddress: "203.0.113.9",
        userAgent: "curl/8",
        details: { sessionId: "s_1" },
      },
      {
        ...base,
        timestamp: at(2),
        actorType: "agent",
        actorId: device.agentId,
        action: "agent.eventlogs.submit",
        resourceType: "device",
        resourceId: device.id,
        resourceName: "WS-042",
      },
      {
        ...base,
        timestamp: at(3),
        actorType: "agent",
        actorId: "a1b2c3d4e5f6",
        action: "agent.eventlogs.submit",
        resourceType: "device",
        resourceName: "50%_off",
      },
      {
        ...base,
        timestamp: at(4),
        action: "policy.update",
        resourceType: "policy",
        resourceName: "Baseline",
        details: { before: { lock: 15 }, after: { lock: 5 } },
        result: "denied",
        errorMessage: "no right",
      },
      {
        ...base,
        timestamp: at(5),
        actorType: "ai_agent",
        actorId: null,
        action: "alert.resolve",
        resourceType: "alert",
      },
    ]);
  });

  const flat = (query: string) => call(jane, `GET /audit-logs?${query}`);
  const full = (query: string) => call(jane, `GET /audit-logs/logs?${query}`);
  const actionsOf = (answer: { body: { data: { action: string }[] } }) => answer.body.data.map((e) => e.action);

  it("returns the flat format with every field, newest first", async () => {
    const { body, status } = await flat("limit=10");
    expect(status).toBe(200);
    expect(body.entries.map((e: { action: string }) => e.action)).toEqual([
      "alert.resolve",
      "policy.update",
      "agent.eventlogs.submit",
      "agent.eventlogs.submit",
      "user.login",
    ]);
    expect(body.pagination).toEqual({ page: 1, limit: 10, total: 5, totalPages: 1, nextCursor: null });
    expect(body.entries[4]).toEqual({
      id: rows[0]?.id,
      orgId: org.id,
      timestamp: "2026-10-01T12:01:00.000Z",
      action: "user.login",
      actionLabel: "signed in",
      actorType: "user",
      category: "authentication",
      result: "success",
      resource: "user",
      resourceType: "user",
      details: '{"sessionId": "s_1"}',
      ipAddress: "203.0.113.9",
      userAgent: "curl/8",
      submittedBy: null,
      sessionId: "s_1",
      user: { name: jane.name, email: jane.email, role: "org_admin", department: "Ops" },
      changes: { before: {}, after: {} },
    });
    expect(body.entries[1].changes).toEqual({ before: { lock: 15 }, after: { lock: 5 } });
  });

  it("lists the same entries for the dashboard, without their checksums", async () => {
    const listed = await listEntries.run(await ctxFor(jane), listInput.parse({ limit: 10 }));
    const { body } = await full("limit=10");
    expect(body.data[0].checksum).toMatch(/^[0-9a-f]{64}$/);
    const rest = body.data.map(({ checksum: _, prevChecksum: __, ...entry }: FullEntry) => entry);
    expect(listed).toEqual({ ...body, data: rest });
  });

  it("names agents by hostname, or by the first characters of a raw ID", async () => {
    const { body } = await full("action=eventlogs");
    expect(body.data.map((e: { user: { name: string } }) => e.user.name)).toEqual(["Agent a1b2c3d4", "Agent (WS-042)"]);
    expect(body.data[0].details.rawActorId).toBe("a1b2c3d4e5f6");
    expect(body.data[0].user.id).toBe("00000000-0000-0000-0000-000000000000");
  });

  it("treats SQL wildcards in filters as literal text", async () => {
    expect(actionsOf(await full("resource=50%25_"))).toEqual(["agent.eventlogs.submit"]);
    expect(actionsOf(await full("resource=%25"))).toHaveLength(1);
    expect(actionsOf(await full(`user=${encodeURIComponent("o'neil_100%")}`))).toEqual(["user.login"]);
    expect(actionsOf(await full("action=user_login"))).toEqual([]);
  });

  it.each([
    ["result=denied", ["policy.update"]],
    ["category=policy", ["policy.update"]],
    ["category=system", ["agent.eventlogs.submit", "agent.eventlogs.submit"]],
    ["actorType=ai_agent", ["alert.resolve"]],
    ["excludeActions=agent.eventlogs.submit,user.login", ["alert.resolve", "policy.update"]],
    ["from=2026-10-01T12:04:00Z", ["alert.resolve", "policy.update"]],
    ["to=2026-10-01T12:01:00.000Z", ["user.login"]],
    ["from=2026-10-01T14:04:00%2B02:00&to=2026-10-01T12:04:00Z", ["policy.update"]],
    ["resource=POLI", ["policy.update"]],
  ])("filters by %s", async (query, expected) => {
    const answer = await full(query);
    expect(actionsOf(answer)).toEqual(expected);
    expect(answer.body.pagination.total).toBe(expected.length);
  });

  it("returns each row once by cursor and by page", async () => {
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body } = await full(`limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.map((e: { id: string }) => e.id));
      cursor = body.pagination.nextCursor ?? "";
    } while (cursor);
    expect(seen).toEqual([...rows].reverse().map((r) => r.id));
    const second = await full("limit=2&page=2");
    expect(second.body.data.map((e: { id: string }) => e.id)).toEqual(seen.slice(2, 4));
    expect((await full("limit=2&page=900000000")).body.data).toEqual([]);
  });

  it("skips the total on request and caps the limit at 100", async () => {
    expect((await full("skipCount=true")).body.pagination).toMatchObject({ total: -1, totalPages: -1 });
    expect((await full("limit=5000")).body.pagination.limit).toBe(100);
  });

  it.each([
    "limit=0",
    "limit=abc",
    "page=-1",
    "from=yesterday",
    "from=2026-10-02T00:00:00Z&to=2026-10-01T00:00:00Z",
    "cursor=xyz",
    "orgId=42",
  ])("rejects %s and names the field", async (query) => {
    const { status, body } = await full(query);
    expect(status).toBe(400);
    expect(body.code).toBe("validation_failed");
    expect(body.errors[0].path).toBe(query.split("=")[0]);
  });

  it("returns one entry with its place in the chain", async () => {
    const own = await call(jane, `GET /audit-logs/logs/${rows[0]?.id}`);
    expect(own.body).toMatchObject({ id: rows[0]?.id, chainSeq: 1, prevChecksum: null });
  });

  it("merges a partner's organizations by time and filters to one", async () => {
    const partner = await createPartner();
    const [a, b] = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
    await appendEvents([1, 3, 5].map((m) => ({ orgId: a.id, timestamp: at(m) })));
    await appendEvents([2, 3, 4].map((m) => ({ orgId: b.id, timestamp: at(m) })));
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    const all = await call(admin, "GET /audit-logs/logs?limit=4");
    expect(all.body.data.map((e: { timestamp: string }) => e.timestamp.slice(14, 16))).toEqual([
      "05",
      "04",
      "03",
      "03",
    ]);
    expect(all.body.pagination.total).toBe(6);
    const rest = await call(admin, `GET /audit-logs/logs?limit=4&cursor=${all.body.pagination.nextCursor}`);
    expect(rest.body.data.map((e: { timestamp: string }) => e.timestamp.slice(14, 16))).toEqual(["02", "01"]);
    const one = await call(admin, `GET /audit-logs/logs?orgId=${a.id}`);
    expect(one.body.pagination.total).toBe(3);
  });

  it("total matches the returned page while entries are being added", async () => {
    const { id: orgId } = await createOrg();
    const token = await createUser({ orgId });
    let left = 90;
    const write = async () => {
      while (left-- > 0) await appendEvents([{ orgId }]);
    };
    const writing = Promise.all([write(), write()]);
    while (left > 0) {
      const { data, pagination } = (await call(token, "GET /audit-logs/logs?limit=100")).body;
      expect(pagination.total).toBe(data.length);
    }
    await writing;
  });
});
