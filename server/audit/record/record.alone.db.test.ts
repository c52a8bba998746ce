import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asSystem } from "@/db/client";
import { auditLogs } from "@/db/schema";
import type { ActionCode } from "@/server/audit/actions";
import { systemCtx, ZERO_UUID } from "@/server/ground/context";
import { newId } from "@/server/ground/ids";
import { createOrg, createPartner, createUser, ctxFor } from "@/testing/factories";
import { tempFolder } from "@/testing/temp-folder";
import { WRITE_TIMES } from "./pending-write";
import { flushRecording, record, recordDurably, recordingStats, startRecording, stopRecording } from "./record";
import { toRow } from "./to-row";

const dir = tempFolder();
beforeAll(() => startRecording({ dir, times: { ...WRITE_TIMES, commit: 60_000, giveUp: 60_000 } }));
afterAll(stopRecording);

const stored = (orgId: string) =>
  asSystem((tx) => tx.select().from(auditLogs).where(eq(auditLogs.orgId, orgId)).orderBy(auditLogs.chainSeq));

const event = (orgId: string, over: Partial<Parameters<typeof toRow>[0]> = {}) =>
  toRow({
    id: newId(),
    orgId,
    timestamp: new Date(),
    actorType: "user",
    actorId: newId(),
    action: "device.create",
    resourceType: "device",
    result: "success",
    ...over,
  });

test("stores a user's action with the actor, address and organization of the context", async () => {
  const user = await createUser({ role: "org_admin" });
  record(await ctxFor(user), {
    action: "device.create",
    resourceType: "device",
    resourceId: "WS-042",
    details: { password: "x", n: 1 },
  });
  await flushRecording(60_000);
  const [row] = await stored(user.orgId as string);
  expect(row).toMatchObject({
    actorType: "user",
    actorId: user.id,
    actorEmail: user.email,
    action: "device.create",
    resourceId: ZERO_UUID,
    details: { password: "[redacted]", n: 1, rawResourceId: "WS-042" },
    ipAddress: "203.0.113.7",
    userAgent: "vitest",
    result: "success",
    chainSeq: 1n,
  });
});

test("records a partner's action without an organization in its home organization", async () => {
  const partner = await createPartner();
  const ctx = await ctxFor(await createUser({ role: "partner_admin", partnerId: partner.id }));
  record(ctx, { action: "custom_field.create", resourceType: "custom_field" });
  await flushRecording(60_000);
  expect(await stored(partner.homeOrgId)).toHaveLength(1);
});

test("drops an event without an organization; the system actor has the zero UUID", async () => {
  const org = await createOrg();
  record(systemCtx(), { action: "policy.evaluate", resourceType: "policy" });
  record(systemCtx(), { action: "policy.evaluate", resourceType: "policy", orgId: org.id });
  await flushRecording(60_000);
  expect(await stored(org.id)).toMatchObject([{ actorType: "system", actorId: ZERO_UUID, details: null }]);
});

test("recording never throws and truncates long values", async () => {
  const org = await createOrg();
  const hostile = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("boom");
      },
    },
  );
  const event = { action: "device.create", resourceType: "b", orgId: org.id, details: hostile } as const;
  expect(() => record(systemCtx(), event)).not.toThrow();
  record(systemCtx(), {
    action: "a".repeat(150) as ActionCode,
    resourceType: "r".repeat(60),
    resourceName: "😀".repeat(300),
    orgId: org.id,
    details: { big: "x".repeat(100_000) },
    timestamp: new Date(Number.NaN),
  });
  await flushRecording(60_000);
  const rows = await stored(org.id);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.action).toBe(`${"a".repeat(99)}…`);
  expect([...(rows[0]?.resourceName ?? "")]).toHaveLength(255);
  expect(rows[0]?.details).toMatchObject({ truncated: true });
});

test("a durable event is stored when the promise resolves, once per ID", async () => {
  const org = await createOrg();
  const row = event(org.id);
  await recordDurably([row, row]);
  await recordDurably([row]);
  expect(await stored(org.id)).toMatchObject([{ id: row.id, chainSeq: 1n }]);
});

test("a rejected event neither blocks nor loses the others in its batch", async () => {
  const org = await createOrg();
  const rows = Array.from({ length: 50 }, () => event(org.id));
  const bad = { ...event(org.id), details: "{not json" };
  const before = recordingStats().deadLettered;
  await expect(recordDurably([...rows.slice(0, 20), bad, ...rows.slice(20)])).rejects.toMatchObject({
    code: "internal",
  });
  await flushRecording(60_000);
  expect((await stored(org.id)).map((r) => r.id)).toEqual(rows.map((r) => r.id));
  expect(recordingStats().deadLettered).toBe(before + 1);
});

test("returns an event to the caller if its ID belongs to another entry", async () => {
  const [one, two] = [await createOrg(), await createOrg()];
  const row = event(one.id);
  await recordDurably([row]);
  const [other, foreign] = [
    { ...row, action: "device.delete" },
    { ...row, orgId: two.id },
  ];
  expect(await recordDurably([row, other, foreign])).toEqual([other, foreign]);
  expect(await stored(one.id)).toHaveLength(1);
  expect(await stored(two.id)).toHaveLength(0);
});

test("stores a server event under a new ID if its ID is taken, and tells the operator", async () => {
  const org = await createOrg();
  const id = newId();
  await recordDurably([event(org.id, { id, action: "note.harmless" })]);
  const before = recordingStats().deadLettered;
  const own = { id, action: "audit_logs.export", resourceType: "audit_log", orgId: org.id } as const;
  const at = new Date();
  for (let i = 0; i < 2; i++) record(systemCtx(), { ...own, timestamp: at });
  await flushRecording(60_000);
  expect(await stored(org.id)).toMatchObject([{ id, action: "note.harmless" }, { action: "audit_logs.export" }]);
  expect(recordingStats().deadLettered).toBe(before + 2);
});

test("keeps events in order within an organization with many producers", async () => {
  const orgs = await Promise.all(Array.from({ length: 5 }, () => createOrg()));
  const rows = Array.from({ length: 3000 }, (_, i) =>
    event((orgs[i % 5] as { id: string }).id, { resourceName: String(i) }),
  );
  await Promise.all(rows.map((row) => recordDurably([row])));
  // Durable is on disk at the latest; on a busy machine the database is behind by now.
  await flushRecording(20_000);
  for (const [i, org] of orgs.entries()) {
    const names = (await stored(org.id)).map((r) => Number(r.resourceName));
    expect(names).toEqual(Array.from({ length: 600 }, (_, k) => k * 5 + i));
  }
  expect(recordingStats()).toMatchObject({ queued: 0, dropped: 0 });
});
