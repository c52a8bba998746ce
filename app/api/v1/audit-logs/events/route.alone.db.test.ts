import { afterAll, beforeAll, expect, test } from "vitest";
import { WRITE_TIMES } from "@/server/audit/record/pending-write";
import { flushRecording, startRecording, stopRecording } from "@/server/audit/record/record";
import { ZERO_UUID } from "@/server/ground/context";
import { newId } from "@/server/ground/ids";
import { call, createApiKey, createOrg, createPartner, auditRows as stored } from "@/testing/factories";
import { tempFolder } from "@/testing/temp-folder";

// The database is waited for, however long it takes.
const times = { ...WRITE_TIMES, giveUp: 60_000 };
beforeAll(() => startRecording({ dir: tempFolder(), times }));
afterAll(stopRecording);

const event = (over: Record<string, unknown> = {}) => ({
  actorType: "user",
  actorId: newId(),
  action: "device.create",
  resourceType: "device",
  result: "success",
  ...over,
});
const writer = (over: { orgId?: string; partnerId?: string } = {}) =>
  createApiKey({ ...over, permissions: ["audit:write"] });
const post = (token: Awaited<ReturnType<typeof writer>>, events: unknown) =>
  call(token, "POST /audit-logs/events", { events });

test("an organization's key implies its organization and stores every field", async () => {
  const org = await createOrg();
  const given = event({
    id: newId(),
    timestamp: "2026-03-01T10:00:00.123+02:00",
    actorEmail: "jane@example.test",
    resourceId: newId(),
    resourceName: "WS-042",
    details: { before: 1.5, after: "2", apiKey: "tmk_x" },
    ipAddress: "2001:db8::1",
    userAgent: "curl",
    result: "denied",
    errorMessage: "no",
  });
  const answer = await post(await writer({ orgId: org.id }), [given]);
  expect([answer.status, answer.body]).toEqual([202, { accepted: 1, rejected: [] }]);
  expect(await stored(org.id)).toMatchObject([
    {
      ...given,
      orgId: org.id,
      timestamp: new Date("2026-03-01T08:00:00.123Z"),
      details: { before: 1.5, after: "2", apiKey: "[redacted]" },
    },
  ]);
});

test("each row names the key that submitted it, and callers cannot forge that", async () => {
  const org = await createOrg();
  const token = await writer({ orgId: org.id });
  await post(token, [event({ actorType: "system", actorId: "nobody" })]);
  const [row] = await stored(org.id);
  expect(row?.details).toMatchObject({ submittedBy: { id: token.id, name: expect.any(String) } });
  const answer = await post(token, [event(), event({ details: { "Submitted-By": { id: "x" } } })]);
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: "events.1.details.Submitted-By" }] } });
  expect(await stored(org.id)).toHaveLength(1);
});

test.each(["audit.retention.prune", "audit_logs.export", "audit.x", "audit-logs.export", "audit__logs.export"])(
  "rejects the reserved action %s",
  async (action) => {
    const org = await createOrg();
    const answer = await post(await writer({ orgId: org.id }), [event(), event({ action })]);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: "events.1.action" }] } });
    expect(await stored(org.id)).toEqual([]);
  },
);

test("lists events of one millisecond by microseconds, then in submitted order", async () => {
  const org = await createOrg();
  const key = await createApiKey({ orgId: org.id, permissions: ["audit:write", "audit:read"] });
  const at = (time: string, resourceName: string, over = {}) =>
    event({ timestamp: `2026-11-10T12:00:00.${time}`, resourceName, ...over });
  const taken = newId();
  await post(await writer({ orgId: (await createOrg()).id }), [event({ id: taken })]);
  const answer = await post(key, [
    at("1233000Z", "o3"),
    at("1231000Z", "o1"),
    at("12320Z", "o2 first"),
    at("1232Z", "o2 second"),
    at("1235000Z", "o5"),
    at("1230000Z", "refused", { id: taken }),
    at("1234000Z", "o4"),
  ]);
  expect(answer.body).toMatchObject({ accepted: 6, rejected: [{ index: 5, id: taken }] });
  await flushRecording(60_000);
  const { body } = await call(key, "GET /audit-logs/logs");
  const names = body.data.map(({ resource }: { resource: { name: string } }) => resource.name);
  expect(names.filter((name: string) => name?.startsWith("o"))).toEqual([
    "o5",
    "o4",
    "o3",
    "o2 second",
    "o2 first",
    "o1",
  ]);
});

test("a timestamp more than a day ahead is rejected, a slightly fast clock is not", async () => {
  const org = await createOrg();
  const token = await writer({ orgId: org.id });
  const ahead = (hours: number) => event({ timestamp: new Date(Date.now() + hours * 3_600_000).toISOString() });
  const answer = await post(token, [event(), ahead(25)]);
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: "events.1.timestamp" }] } });
  expect((await post(token, [ahead(23)])).status).toBe(202);
  expect(await stored(org.id)).toHaveLength(1);
});

test("identifiers that are not UUIDs are kept in the details", async () => {
  const org = await createOrg();
  await post(await writer({ orgId: org.id }), [event({ actorType: "agent", actorId: "agent-7", resourceId: "C:\\x" })]);
  expect(await stored(org.id)).toMatchObject([
    { actorId: ZERO_UUID, resourceId: ZERO_UUID, details: { rawActorId: "agent-7", rawResourceId: "C:\\x" } },
  ]);
});

test("a partner's key names the organization; events without one are rejected by name", async () => {
  const partner = await createPartner();
  const org = await createOrg({ partnerId: partner.id });
  const answer = await post(await writer({ partnerId: partner.id }), [event({ orgId: org.id.toUpperCase() }), event()]);
  expect([answer.status, answer.body]).toEqual([
    202,
    { accepted: 1, rejected: [{ index: 1, id: null, code: "no_organization", message: expect.any(String) }] },
  ]);
  expect(await stored(org.id)).toHaveLength(1);
});

test("an organization outside the key's scope rejects the request and names the event; nothing is stored", async () => {
  const [own, foreign] = [await createOrg(), await createOrg()];
  const answer = await post(await writer({ orgId: own.id }), [event(), event({ orgId: foreign.id })]);
  expect([answer.status, answer.body.code]).toEqual([403, "forbidden"]);
  expect(answer.body.detail).toContain("events.1");
  expect(await stored(own.id)).toHaveLength(0);
  expect(await stored(foreign.id)).toHaveLength(0);
});

test("a retry with the same ids is accepted and stored once", async () => {
  const org = await createOrg();
  const key = await writer({ orgId: org.id });
  const events = Array.from({ length: 20 }, () => event({ id: newId() }));
  expect((await post(key, [...events, events[0]])).body).toEqual({ accepted: 21, rejected: [] });
  expect((await post(key, events)).body).toEqual({ accepted: 20, rejected: [] });
  expect(await stored(org.id)).toHaveLength(20);
});

test("rejects another event under a known ID by name and keeps the others", async () => {
  const [one, two] = [await createOrg(), await createOrg()];
  const [key, foreign] = [await writer({ orgId: one.id }), await writer({ orgId: two.id })];
  const known = { ...event(), id: newId() };
  await post(key, [known]);
  const rejected = (index: number) => ({ index, id: known.id, code: "id_conflict", message: expect.any(String) });
  const other = { ...known, action: "device.delete" };
  const answer = await post(key, [event(), other, known, event()]);
  expect([answer.status, answer.body]).toEqual([202, { accepted: 3, rejected: [rejected(1)] }]);
  const mixed = await post(foreign, [known, event()]);
  expect([mixed.status, mixed.body]).toEqual([202, { accepted: 1, rejected: [rejected(0)] }]);
  expect(mixed.text).not.toContain(one.id);
  expect(await stored(one.id)).toHaveLength(3);
  expect(await stored(two.id)).toHaveLength(1);
});

test("a request whose IDs are all taken is a conflict", async () => {
  const org = await createOrg();
  const [key, second] = [await writer({ orgId: org.id }), await writer({ orgId: org.id })];
  const known = { ...event(), id: newId() };
  await post(key, [known]);
  const answer = await post(second, [known]);
  expect(answer).toMatchObject({ status: 409, body: { code: "id_conflict", errors: [{ path: "events.0.id" }] } });
  expect(await stored(org.id)).toHaveLength(1);
});

test.each<[string, unknown]>([
  ["no events", []],
  ["too many", Array.from({ length: 501 }, () => event())],
  ["an action that is too long", [event({ action: "a".repeat(101) })]],
  ["a blank action", [event({ action: " " })]],
  ["an unknown actor type", [event({ actorType: "robot" })]],
  ["an unknown member", [event({ detials: {} })]],
  ["a bad id", [event({ id: "42" })]],
  ["a bad timestamp", [event({ timestamp: "yesterday" })]],
  ["a timestamp before 1970", [event({ timestamp: "1969-12-31T23:59:59Z" })]],
  ["a list as details", [event({ details: [1] })]],
  ["details that are too large", [event({ details: { a: "x".repeat(70_000) } })]],
])("returns 400 and stores nothing: %s", async (_, events) => {
  const org = await createOrg();
  const answer = await post(
    await writer({ orgId: org.id }),
    Array.isArray(events) && events.length === 1 ? [event(), ...events] : events,
  );
  expect([answer.status, answer.body.code]).toEqual([400, "validation_failed"]);
  expect(await stored(org.id)).toHaveLength(0);
});
