import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { searchEntries } from "@/server/audit/entries/list";
import { appendAudit } from "@/server/audit/record/append";
import { searchInput } from "@/server/audit/schema";
import { indexChain } from "@/server/audit/search/indexer";
import { appRouter } from "@/server/doors/trpc/root";
import { registry } from "@/server/ground/background/metrics";
import { runRetention } from "@/server/retention/run";
import { auditRows, daysAgo, insertRaw, roles, tamper } from "@/testing/chain";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { openAlarms } from "./alarm";
import { alarmWatch, raiseLostAlarms } from "./alarm-watch";
import { signCheckpoint } from "./checkpoints";
import { verifyIntegrity } from "./integrity";
import { runNightly, verifyNightly } from "./nightly";
import { readProgress } from "./verifications";

const write = (orgId: string, count: number, days = 0) =>
  appendAudit(roles.app, auditRows(orgId, count, { timestamp: daysAgo(days) }));
const alter = (orgId: string, seq: number) =>
  tamper(
    (tx) => tx`UPDATE audit_logs SET resource_name = 'somebody else' WHERE org_id = ${orgId} AND chain_seq = ${seq}`,
  );

describe("the nightly verification", () => {
  it("reads new rows and a thirtieth of the others", async () => {
    const { id } = await createOrg();
    await write(id, 91);
    expect(await verifyNightly(id)).toMatchObject({ status: "intact", rowsChecked: 91 });
    await write(id, 9);
    expect(await verifyNightly(id)).toMatchObject({ status: "intact", rowsChecked: 9 + 1 + 3 });
    expect(await readProgress(id)).toMatchObject({ verifiedThrough: 100, slice: { first: 1, last: 3, night: 1 } });
    expect(await verifyNightly(id)).toMatchObject({ status: "intact", rowsChecked: 1 + 4 });
    expect(await readProgress(id)).toMatchObject({ verifiedThrough: 100, slice: { first: 4, last: 7, night: 2 } });
  });

  it("reports an altered new row, raises the alarm and rereads it the next night", async () => {
    const { id } = await createOrg();
    await write(id, 10);
    await verifyNightly(id);
    await write(id, 10);
    await alter(id, 15);
    for (let night = 0; night < 2; night++) {
      const found = await verifyNightly(id);
      expect(found).toMatchObject({ status: "broken", breaks: [{ seq: 15, kind: "altered" }] });
    }
    const scope = { kind: "organization", orgIds: [id], partnerId: "" } as const;
    expect(await openAlarms(scope)).toMatchObject([{ orgId: id, source: "nightly", breaks: [{ seq: 15 }] }]);
    expect(await readProgress(id)).toMatchObject({ verifiedThrough: 10 });
    await alarmWatch.start();
    expect(await registry.metrics()).toMatch(/trailmark_audit_broken_chains [1-9]/);
    await alarmWatch.stop();
  });

  it.each([
    { pruned: 0, seq: 0 },
    { pruned: 256, seq: 256 },
    { pruned: 256, seq: 10 },
  ])(
    "reports an entry inserted at $seq before the start of a chain pruned through $pruned",
    async ({ pruned, seq }) => {
      const { id } = await createOrg();
      await write(id, pruned, 400);
      await write(id, 10);
      await runRetention({ orgIds: [id] });
      expect(await verifyNightly(id)).toMatchObject({ status: "intact", firstSeq: pruned + 1 });
      await tamper(
        (tx) => tx`INSERT INTO audit_logs (id, org_id, "timestamp", actor_type, actor_id, action, resource_type, result,
          chain_seq, checksum, prev_checksum)
        SELECT gen_random_uuid(), org_id, "timestamp", actor_type, actor_id, 'forged', resource_type, result,
          ${seq}, checksum, prev_checksum FROM audit_logs WHERE org_id = ${id} AND chain_seq = ${pruned + 1}`,
      );
      expect(await verifyNightly(id)).toMatchObject({ status: "broken", breaks: [{ seq, kind: "inserted" }] });
    },
  );

  it("reports a search index that differs from its entries, and rebuilds it", async () => {
    const { id } = await createOrg();
    await write(id, 400);
    await indexChain(id);
    await verifyNightly(id);
    const scope = { kind: "organization", orgIds: [id], partnerId: "" } as const;
    expect(await openAlarms(scope)).toEqual([]);
    const segments = () =>
      roles.owner`SELECT words, postings FROM audit_segment_blocks WHERE org_id = ${id} ORDER BY block`;
    const before = [...(await segments())];
    expect(before).toHaveLength(1);
    await tamper(
      (tx) => tx`UPDATE audit_segment_blocks SET words = overlay(words PLACING 'z' FROM 3) WHERE org_id = ${id}`,
    );
    // The slice of the first night begins at the first entry.
    expect(await verifyNightly(id)).toMatchObject({ status: "intact" });
    expect(await openAlarms(scope)).toMatchObject([{ source: "nightly", breaks: [{ seq: 1, kind: "index" }] }]);
    expect([...(await segments())]).toEqual(before);
  });

  it.each<[string, (id: string) => ReturnType<typeof tamper>]>([
    ["wrong totals", (id) => tamper((tx) => tx`UPDATE audit_tallies SET rows = rows - 1 WHERE org_id = ${id}`)],
    [
      "wrong totals of actors",
      (id) => tamper((tx) => tx`UPDATE audit_actor_tallies SET email = 'bob' WHERE org_id = ${id}`),
    ],
    ["missing totals", (id) => tamper((tx) => tx`DELETE FROM audit_tallies WHERE org_id = ${id}`)],
    ["a missing first appearance", (id) => tamper((tx) => tx`DELETE FROM audit_first_seen WHERE org_id = ${id}`)],
    [
      "a later first appearance",
      (id) => tamper((tx) => tx`UPDATE audit_first_seen SET first_seq = first_seq + 1 WHERE org_id = ${id}`),
    ],
  ])("reports %s, raises the alarm and counts again", async (_, damage) => {
    const { id } = await createOrg();
    await appendAudit(roles.app, auditRows(id, 2_100, { actorId: randomUUID() }));
    await indexChain(id);
    await verifyNightly(id);
    const counted = () => roles.owner`
      SELECT (SELECT sum(rows) FROM audit_tallies WHERE org_id = ${id}) AS rows,
        (SELECT max(email) FROM audit_actor_tallies WHERE org_id = ${id}) AS email,
        (SELECT min(first_seq) FROM audit_first_seen WHERE org_id = ${id}) AS first`;
    const before = [...(await counted())];
    await damage(id);
    expect(await verifyNightly(id)).toMatchObject({ status: "intact" });
    const scope = { kind: "organization", orgIds: [id], partnerId: "" } as const;
    expect(await openAlarms(scope)).toMatchObject([{ source: "nightly", breaks: [{ seq: 1, kind: "index" }] }]);
    expect([...(await counted())]).toEqual(before);
  });

  it("reports a missing part of the search index while searches read its entries", async () => {
    const { id } = await createOrg();
    for (let n = 0; n < 3; n++) {
      await write(id, 150);
      await indexChain(id);
    }
    await verifyNightly(id);
    await tamper((tx) => tx`DELETE FROM audit_segments WHERE org_id = ${id} AND first_seq = 151`);
    const ctx = await ctxFor(await createUser({ orgId: id }));
    const found = await searchEntries.run(ctx, searchInput.parse({ q: "WS-1", limit: 1 }));
    expect(found.pagination.total).toBe(450);
    await verifyNightly(id);
    const scope = { kind: "organization", orgIds: [id], partnerId: "" } as const;
    expect(await openAlarms(scope)).toMatchObject([{ source: "nightly", breaks: [{ seq: 301, kind: "index" }] }]);
    expect(
      await roles.owner.begin(async (tx) => {
        await tx`SET LOCAL session_replication_role = replica`;
        return tx`SELECT first_seq::int AS first, last_seq::int AS last FROM audit_segments WHERE org_id = ${id}`;
      }),
    ).toEqual([{ first: 1, last: 450 }]);
  });

  it("reports an old altered row within thirty nights", async () => {
    const { id } = await createOrg();
    await write(id, 60);
    await verifyNightly(id);
    await alter(id, 40);
    let nights = 0;
    while ((await verifyNightly(id))?.status === "intact") expect(++nights).toBeLessThan(30);
    expect(nights).toBeGreaterThan(10);
  });

  it.each([0, 20])("reports an unsealed row among %i others", async (others) => {
    const { id } = await createOrg();
    if (others > 0) await write(id, others);
    await verifyNightly(id);
    const [row] = await tamper((tx) => insertRaw(tx, id));
    expect(await verifyNightly(id)).toMatchObject({ status: "broken", breaks: [{ id: row, kind: "unsealed" }] });
  });

  it("reports one missing row in one place, and nothing false about a lost head", async () => {
    const { id } = await createOrg();
    await write(id, 12);
    await verifyNightly(id);
    await tamper((tx) => tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq = 5`);
    expect((await verifyNightly(id))?.breaks).toMatchObject([{ seq: 5, kind: "missing" }]);
    const { id: lost } = await createOrg();
    await write(lost, 12);
    await verifyNightly(lost);
    await tamper((tx) => tx`DELETE FROM audit_chain_heads WHERE org_id = ${lost}`);
    const found = await verifyNightly(lost);
    expect(found?.status).toBe("broken");
    for (const { actual } of found?.breaks ?? []) expect(actual).toMatch(/^the chain has no head/);
  });

  it("continues over a pruned beginning", async () => {
    const { id } = await createOrg();
    await write(id, 256, 400);
    await write(id, 5);
    await verifyNightly(id);
    expect(await runRetention({ orgIds: [id], sliceRows: 100 })).toMatchObject({ rows: 256 });
    expect(await verifyNightly(id)).toMatchObject({ status: "intact", prunedPrefix: { throughSeq: 256 } });
    await write(id, 5);
    expect(await verifyNightly(id)).toMatchObject({ status: "intact" });
  });

  it("covers all organizations, skips empty ones and continues after a broken one", async () => {
    const [empty, broken, fine] = [await createOrg(), await createOrg(), await createOrg()].map((o) => o.id) as [
      string,
      string,
      string,
    ];
    await write(broken, 5);
    await write(fine, 5);
    await alter(broken, 2);
    expect(await runNightly({ orgIds: [empty, broken, fine] })).toMatchObject({ verified: 2, broken: 1, failed: 0 });
    await expect(runNightly({ orgIds: [fine], signal: AbortSignal.abort() })).rejects.toThrow("stopped");
  });
});

describe("integrity over tRPC", () => {
  const open = async (orgId: string) =>
    appRouter.createCaller({
      caller: await ctxFor(await createUser({ role: "org_admin", orgId })),
      requestId: randomUUID(),
    });

  it("returns the last verification, the alarm, the head and checkpoint coverage", async () => {
    const { id } = await createOrg();
    const caller = await open(id);
    expect(await caller.integrity.status({})).toMatchObject({ orgId: id, last: null, alarm: null, head: null });
    await write(id, 5);
    await signCheckpoint(id);
    await write(id, 2);
    expect(await caller.integrity.verify({})).toMatchObject({ status: "intact", rowsChecked: 7 });
    const status = await caller.integrity.status({ orgId: id });
    expect(status).toMatchObject({
      last: { kind: "whole", status: "intact", rowsChecked: 7 },
      head: { seq: 7 },
      anchored: { seq: 7 },
      state: { status: "intact", throughSeq: 7, rowsUnread: 0, reasons: [] },
      alarm: null,
    });
    expect(status.nextRunAt).toMatch(/T02:15:00.000Z$/);
    expect((await caller.integrity.checkpoints({})).data).toMatchObject([{ size: 7 }, { size: 5 }, { size: 0 }]);
    expect(await readProgress(id)).toMatchObject({ verifiedThrough: 7 });
  });

  it("keeps the alarm open until the whole chain is intact", async () => {
    const { id } = await createOrg();
    const caller = await open(id);
    await write(id, 5);
    await alter(id, 3);
    expect(await caller.integrity.verify({})).toMatchObject({ status: "broken" });
    expect(await caller.integrity.alarms()).toMatchObject([{ orgId: id, source: "on demand" }]);
    await tamper((tx) => tx`UPDATE audit_logs SET resource_name = 'WS-1' WHERE org_id = ${id} AND chain_seq = 3`);
    await caller.integrity.verify({ from: daysAgo(1) });
    expect(await caller.integrity.alarms()).toHaveLength(1);
    await caller.integrity.verify({});
    expect(await caller.integrity.alarms()).toEqual([]);
  });

  it("keeps the alarm open while guards are changed, though every entry is intact", async () => {
    const { id } = await createOrg();
    await write(id, 10);
    const scope = { kind: "organization", orgIds: [id], partnerId: "" } as const;
    const read = async () =>
      (await verifyIntegrity.run(await ctxFor(await createUser({ orgId: id })), { orgId: id })).status;
    await roles.owner`CREATE FUNCTION audit_link(int) RETURNS int LANGUAGE sql AS 'SELECT 1'`;
    try {
      await runNightly({ orgIds: [id] });
      expect(await read()).toBe("broken");
      const actual = "function audit_link is there more than once";
      expect(await openAlarms(scope)).toMatchObject([{ breaks: [{ seq: 0, kind: "altered", actual }] }]);
    } finally {
      await roles.owner`DROP FUNCTION audit_link(int)`;
    }
    expect(await read()).toBe("intact");
    expect(await openAlarms(scope)).toEqual([]);
  });

  it("stays broken after its alarm is deleted, until the whole chain is intact", async () => {
    const { id } = await createOrg();
    const caller = await open(id);
    await write(id, 5);
    await verifyNightly(id);
    await tamper((tx) => tx`UPDATE audit_logs SET resource_name = 'x' WHERE org_id = ${id} AND chain_seq = 5`);
    expect(await verifyNightly(id)).toMatchObject({ status: "broken" });
    await tamper((tx) => tx`DELETE FROM audit_alarms WHERE org_id = ${id}`);
    expect(await caller.integrity.status({ orgId: id })).toMatchObject({ alarm: null, state: { status: "broken" } });
    await tamper((tx) => tx`UPDATE audit_logs SET resource_name = 'WS-1' WHERE org_id = ${id} AND chain_seq = 5`);
    await caller.integrity.verify({});
    expect(await caller.integrity.status({ orgId: id })).toMatchObject({ state: { status: "intact" } });
  });

  it("raises a deleted alarm again, by the watcher and by the nightly run", async () => {
    const { id } = await createOrg();
    const caller = await open(id);
    const forget = () => tamper((tx) => tx`DELETE FROM audit_alarms WHERE org_id = ${id}`);
    await write(id, 60);
    await verifyNightly(id);
    await alter(id, 40);
    expect(await caller.integrity.verify({ fromSeq: 40, toSeq: 40 })).toMatchObject({ status: "broken" });
    await forget();
    expect(await caller.integrity.status({})).toMatchObject({ alarm: null, state: { status: "broken" } });
    await alarmWatch.start();
    await alarmWatch.stop();
    const alarms = () => caller.integrity.alarms();
    expect(await alarms()).toMatchObject([{ orgId: id, source: "on demand", breaks: [{ seq: 40 }] }]);
    await forget();
    expect(await verifyNightly(id)).toMatchObject({ status: "intact" });
    expect(await alarms()).toMatchObject([{ orgId: id, breaks: [{ seq: 40 }] }]);
    expect(await caller.integrity.status({})).toMatchObject({ state: { status: "broken" } });
    // That night, which found nothing in its part, ends nothing either.
    await forget();
    expect(await caller.integrity.status({})).toMatchObject({ alarm: null, state: { status: "broken" } });
    await alarmWatch.start();
    await alarmWatch.stop();
    expect(await alarms()).toMatchObject([{ orgId: id, source: "on demand", breaks: [{ seq: 40 }] }]);
    expect(await caller.integrity.status({})).toMatchObject({ state: { status: "broken" } });
    await tamper((tx) => tx`UPDATE audit_logs SET resource_name = 'WS-1' WHERE org_id = ${id} AND chain_seq = 40`);
    expect(await caller.integrity.verify({})).toMatchObject({ status: "intact" });
    await raiseLostAlarms();
    expect(await alarms()).toEqual([]);
  });

  it("keeps the first time and source of an open alarm", async () => {
    const { id } = await createOrg();
    const caller = await open(id);
    await write(id, 5);
    await alter(id, 3);
    await verifyNightly(id);
    const [first] = await caller.integrity.alarms();
    await caller.integrity.verify({});
    expect(await caller.integrity.alarms()).toMatchObject([{ source: "nightly", at: first?.at }]);
  });

  it("returns the retention policy and its next run", async () => {
    const { id } = await createOrg();
    const caller = await open(id);
    const got = await caller.retention.get({ id });
    expect(got).toMatchObject({ configured: true, retentionDays: 365, pruningEnabled: true });
    expect(got.nextRunAt).toMatch(/T03:15:00.000Z$/);
    expect(await caller.retention.set({ id, retentionDays: 90 })).toMatchObject({ retentionDays: 90 });
    expect(await caller.retention.preview({ id, retentionDays: 30 })).toMatchObject({ rows: 0 });
  });
});
