import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openAdmin } from "@/db/admin";
import { asSystem } from "@/db/client";
import { hasFreeReader, readChain, waitingReaders } from "@/server/evidence/chain/chain-stream";
import { readOwnReceipt } from "@/server/evidence/chain/note-signature";
import { verifyChain } from "@/server/evidence/chain/verify";
import { newestReceipt } from "@/server/evidence/checkpoints/note-store";
import { clearAlarm, openAlarms, raiseAlarm } from "@/server/evidence/integrity/alarm";
import { signCheckpoint } from "@/server/evidence/integrity/checkpoints";
import { judgeChain } from "@/server/evidence/integrity/judge";
import { getIntegrityStatus } from "@/server/evidence/integrity/status";
import { systemCtx } from "@/server/ground/context";
import { appendEvents } from "@/testing/audit-entries";
import { chainOf, daysAgo, headOf, roles, sealedDaysAgo, tamper, tamperBy } from "@/testing/chain";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { whileHeld } from "@/testing/held-rows";
import { keepFor, signedDaysAgo } from "@/testing/permit";
import { withSettings } from "@/testing/settings";
import { runRetention } from "./run";

const at = (days: number) => new Date(daysAgo(days));
const append = (orgId: string, ages: number[]) => appendEvents(ages.map((days) => ({ orgId, timestamp: at(days) })));
const policyOf = async (orgId: string) =>
  (await roles.admin`SELECT * FROM audit_retention_policies WHERE org_id = ${orgId}`)[0];
const verify = (orgId: string) => verifyChain(systemCtx(), { orgId });
const many = (count: number, days: number) => Array.from({ length: count }, () => days);

const open = (orgId: string) => openAlarms({ kind: "organization", orgIds: [orgId], partnerId: "" });
/** The lock of an organization's chain (audit_lock_key), which a slice waits for. */
const chainLock = (orgId: string) => sql`SELECT pg_advisory_xact_lock(uuid_hash_extended(${orgId}::uuid, 110))`;

/** An organization with so many rows of 100 days ago and three of today, the last of which keeps them for 30 days. */
async function orgWithExpired(count: number): Promise<string> {
  const { id } = await createOrg();
  await append(id, [...many(count, 100), 0, 0]);
  await keepFor(id, 30);
  return id;
}

describe("retention window of a run", () => {
  const setRow = (orgId: string, days: number) =>
    tamper((tx) => tx`UPDATE audit_retention_policies SET retention_days = ${days} WHERE org_id = ${orgId}`);

  it("comes from a recorded policy change, even if that entry was pruned", async () => {
    const { id: orgId } = await createOrg();
    await append(orgId, many(5, 100));
    await keepFor(orgId, 30);
    expect(await runRetention({ orgIds: [orgId] })).toMatchObject({ rows: 5 });
    const receiptOf = async () => readOwnReceipt(orgId, (await asSystem((tx) => newestReceipt(tx, orgId)))?.note ?? "");
    expect(await receiptOf()).toMatchObject({ through: 5, days: 30, policySeq: 6 });
    const auditor = await ctxFor(await createUser({ orgId, role: "org_admin" }));
    const prunedUnder = "the window of 30 days that entry 6 set";
    expect(await getIntegrityStatus.run(auditor, { orgId })).toMatchObject({ prunedThroughSeq: 5, prunedUnder });
    await tamper((tx) => tx`UPDATE audit_logs SET sealed_at = ${daysAgo(40)} WHERE org_id = ${orgId}`);
    await signCheckpoint(orgId, at(40));
    await append(orgId, [0]);
    expect(await runRetention({ orgIds: [orgId] })).toMatchObject({ rows: 2, organizations: [{ lastSeq: 7 }] });
    expect(await runRetention({ orgIds: [orgId] })).toMatchObject({ status: "done", organizations: [{ rows: 0 }] });
    expect(await receiptOf()).toMatchObject({ through: 7, policySeq: 6 });
    await setRow(orgId, 365);
    expect((await runRetention({ orgIds: [orgId] })).organizations[0]?.error).toContain("nothing was removed");
  });

  it.for([
    ["where no entry set one", null, 1],
    ["shorter than an entry set", 90, 30],
    ["longer than an entry set", 30, 90],
  ] as const)("never comes from a policy %s: the run stops and raises an alarm", async ([_, set, row]) => {
    const { id: orgId } = await createOrg();
    await append(orgId, many(5, 400));
    if (set !== null) await keepFor(orgId, set);
    await setRow(orgId, row);
    for (const dryRun of [true, false]) {
      const [run] = (await runRetention({ orgIds: [orgId], dryRun })).organizations;
      expect(run?.error).toContain("the policy is not the one that the log says");
    }
    const actual = `a policy of ${row} days, which no entry set`;
    expect(await open(orgId)).toMatchObject([{ source: "retention", breaks: [{ actual }] }]);
    expect((await chainOf(orgId)).length).toBe(set === null ? 5 : 6);
    // Nor does it end because somebody reads the entries.
    expect(await judgeChain(orgId)).toMatchObject({ status: "broken", breaks: [{ actual }] });
  });

  it("never comes from an entry with altered contents", async () => {
    const { id: orgId } = await createOrg();
    await append(orgId, many(5, 400));
    await keepFor(orgId, 390);
    await tamper(async (tx) => {
      await tx`UPDATE audit_logs SET details = jsonb_set(details, '{after,retentionDays}', '30')
        WHERE org_id = ${orgId} AND chain_seq = 6`;
    });
    await setRow(orgId, 30);
    expect((await runRetention({ orgIds: [orgId] })).organizations[0]?.error).toContain("nothing was removed");
    expect((await chainOf(orgId)).length).toBe(6);
  });
});

describe("pruning run", () => {
  it("removes expired entries in slices, each with a receipt, and keeps the chain intact", async () => {
    const orgId = await orgWithExpired(25);
    const run = await runRetention({ sliceRows: 10, orgIds: [orgId] });
    expect(run).toMatchObject({ status: "done", rows: 25, organizations: [{ slices: 3, firstSeq: 1, lastSeq: 25 }] });
    const rows = await chainOf(orgId);
    expect(rows.map((r) => Number(r.chainSeq))).toEqual([26, 27, 28, 29, 30, 31]);
    const receipts = rows.filter((r) => r.action === "audit.retention.prune").map((r) => JSON.parse(r.details ?? "{}"));
    expect(receipts).toMatchObject([
      { firstSeq: 1, lastSeq: 10, count: 10, retentionDays: 30 },
      { firstSeq: 11, lastSeq: 20, count: 10 },
      { firstSeq: 21, lastSeq: 25, count: 5 },
    ]);
    expect(await verify(orgId)).toMatchObject({ status: "intact", rowsChecked: 6, prunedPrefix: { throughSeq: 25 } });
    const part = { status: "intact", firstSeq: 26, rowsChecked: 3, prunedPrefix: { throughSeq: 25 } };
    expect(await judgeChain(orgId, { fromSeq: 10, toSeq: 28 })).toMatchObject(part);
    await tamperBy(`DELETE FROM audit_notes WHERE org_id = '${orgId}' AND kind = 'receipt'`);
    const unexplained = { status: "broken", breaks: [9, 10].map((seq) => ({ seq, kind: "missing" })) };
    expect(await judgeChain(orgId, { fromSeq: 10, toSeq: 28 })).toMatchObject(unexplained);
    expect((await policyOf(orgId))?.last_cleanup_at).toBeInstanceOf(Date);
  });

  it("stops at the first row inside the window, even if later rows are older", async () => {
    const { id: orgId } = await createOrg();
    await append(orgId, [100, 90, 5, 80, 70]);
    await keepFor(orgId, 30);
    expect(await runRetention({ orgIds: [orgId] })).toMatchObject({ rows: 2 });
    expect(await runRetention({ orgIds: [orgId] })).toMatchObject({ rows: 0 });
    expect((await chainOf(orgId)).length).toBe(5);
  });

  it("removes an entry dated ahead once its checkpoint is past the window", async () => {
    const { id: orgId } = await createOrg();
    const year9999 = new Date("9999-12-31T23:59:59.999Z");
    await appendEvents([100, 0, 90].map((days) => ({ orgId, timestamp: days ? at(days) : year9999 })));
    await keepFor(orgId, 30);
    await signedDaysAgo(orgId, 29);
    expect(await runRetention({ orgIds: [orgId] })).toMatchObject({ rows: 1 });
    await signedDaysAgo(orgId, 31);
    await append(orgId, [0]);
    expect(await runRetention({ orgIds: [orgId] })).toMatchObject({ rows: 4, organizations: [{ lastSeq: 5 }] });
    expect(await verify(orgId)).toMatchObject({ status: "intact", prunedPrefix: { throughSeq: 5 } });
  });

  it("keeps an entry until a checkpoint covered it long enough ago", async () => {
    const { id: orgId } = await createOrg();
    await append(orgId, many(10, 1));
    await signCheckpoint(orgId, at(29));
    await append(orgId, many(5, 1));
    await keepFor(orgId, 30);
    await sealedDaysAgo(orgId, 9_000);
    expect(await runRetention({ dryRun: true, orgIds: [orgId] })).toMatchObject({ rows: 0 });
    expect(await runRetention({ orgIds: [orgId] })).toMatchObject({ status: "done", rows: 0 });
    expect((await chainOf(orgId)).length).toBe(16);
    expect(await asSystem((tx) => newestReceipt(tx, orgId))).toBeNull();
  });

  it("empties a fully expired chain, which continues with the receipt", async () => {
    const { id: orgId } = await createOrg();
    await append(orgId, many(10, 400));
    await runRetention({ orgIds: [orgId], sliceRows: 5 });
    expect((await chainOf(orgId)).map((r) => Number(r.chainSeq))).toEqual([11, 12]);
    expect(await verify(orgId)).toMatchObject({ status: "intact", breaks: [] });
  });

  it("skips organizations without a policy and entries inside the window", async () => {
    const without = await orgWithExpired(5);
    await roles.owner`DELETE FROM audit_retention_policies WHERE org_id = ${without}`;
    const young = (await createOrg()).id;
    await append(young, [300, 200]);
    const run = await runRetention({ orgIds: [without, young] });
    expect(run.organizations.map((o) => o.orgId)).toEqual([young]);
    expect(run.rows).toBe(0);
    expect((await chainOf(without)).length).toBe(8);
    expect((await policyOf(young))?.last_cleanup_at).toBeInstanceOf(Date);
  });

  it("removes nothing in a dry run", async () => {
    const orgId = await orgWithExpired(5);
    const run = await runRetention({ dryRun: true, orgIds: [orgId] });
    expect(run).toMatchObject({ status: "done", dryRun: true, rows: 5, organizations: [{ firstSeq: 1, lastSeq: 5 }] });
    expect((await chainOf(orgId)).length).toBe(8);
    expect((await policyOf(orgId))?.last_cleanup_at).toBeNull();
  });

  it("continues with other organizations when one chain cannot be pruned", async () => {
    const broken = await orgWithExpired(5);
    await tamper((tx) => tx`DELETE FROM audit_logs WHERE org_id = ${broken} AND chain_seq = 3`);
    const fine = await orgWithExpired(5);
    const run = await runRetention({ orgIds: [broken, fine] });
    const byOrg = new Map(run.organizations.map((o) => [o.orgId, o]));
    expect(byOrg.get(fine)).toMatchObject({ rows: 5 });
    expect(byOrg.get(broken)?.error).toContain("nothing was removed");
    expect((await chainOf(broken)).length).toBe(7);
    expect((await policyOf(broken))?.last_cleanup_at).toBeNull();
  });

  it.each([
    { altered: 4, where: "already in the tree" },
    { altered: 9, where: "added to the tree by the run" },
  ])("removes nothing if a row was altered $where", async ({ altered }) => {
    const { id: orgId } = await createOrg();
    await append(orgId, many(6, 100));
    await signCheckpoint(orgId);
    await append(orgId, [...many(6, 100), 0]);
    await keepFor(orgId, 30);
    await tamper(
      (tx) => tx`UPDATE audit_logs SET result = 'denied' WHERE org_id = ${orgId} AND chain_seq = ${altered}`,
    );
    const run = await runRetention({ orgIds: [orgId] });
    expect(run).toMatchObject({ rows: 0, organizations: [{ error: expect.stringContaining("nothing was removed") }] });
    expect((await chainOf(orgId)).length).toBe(14);
  });

  it("stops at an open alarm, and reports what it removed and why it stopped", async () => {
    const orgId = await orgWithExpired(25);
    const since = new Date().toISOString();
    const run = await whileHeld(
      chainLock(orgId),
      () => runRetention({ orgIds: [orgId], sliceRows: 10 }),
      () => raiseAlarm({ orgId, at: since, source: "nightly", breaks: [] }),
    );
    expect(run).toMatchObject({
      rows: 10,
      organizations: [{ slices: 1, firstSeq: 1, lastSeq: 10, error: expect.stringContaining(`since ${since}`) }],
    });
    expect((await chainOf(orgId)).length).toBe(15 + 3 + 1);
    expect((await policyOf(orgId))?.last_cleanup_at).toBeNull();
  });

  it("signs nothing after a removal without a receipt, whatever the head claims", async () => {
    const { id: orgId } = await createOrg();
    await append(orgId, [...many(10, 0), 800, 800]);
    await keepFor(orgId, 30);
    await signCheckpoint(orgId);
    await tamper(async (tx) => {
      await tx`UPDATE audit_trees SET edge = (
          SELECT string_agg(sha256('\\x00' || decode(checksum, 'hex')), '' ORDER BY chain_seq)
          FROM audit_logs WHERE org_id = ${orgId} AND chain_seq <= 10) WHERE org_id = ${orgId}`;
      await tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq <= 10`;
      await tx`UPDATE audit_chain_heads h SET pruned_through_seq = 11, pruned_through_checksum = (
          SELECT checksum FROM audit_logs a WHERE a.org_id = h.org_id AND chain_seq = 11) WHERE org_id = ${orgId}`;
    });
    const run = await runRetention({ orgIds: [orgId] });
    expect(run).toMatchObject({ rows: 0, organizations: [{ error: expect.stringContaining("nothing was removed") }] });
    expect(await asSystem((tx) => newestReceipt(tx, orgId))).toBeNull();
    expect((await chainOf(orgId)).length).toBe(3);
    expect(await open(orgId)).toMatchObject([{ source: "retention", breaks: [{ seq: 1, kind: "missing" }] }]);
  });

  it("raises the alarm as of the finding, so an earlier verification does not close it", async () => {
    const orgId = await orgWithExpired(6);
    await signCheckpoint(orgId);
    await tamper((tx) => tx`UPDATE audit_logs SET result = 'denied' WHERE org_id = ${orgId} AND chain_seq = 4`);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const readers = [1, 2].map(() => readChain({ kind: "system" }, () => held));
    expect(hasFreeReader("short")).toBe(false);
    const refused = expect(runRetention({ orgIds: [orgId] })).resolves.toMatchObject({
      organizations: [{ error: expect.stringContaining("nothing was removed") }],
    });
    await expect.poll(() => waitingReaders("short")).toBe(1);
    const began = new Date();
    letGo();
    await Promise.all([refused, ...readers]);
    await clearAlarm(orgId, began);
    expect(await open(orgId)).toMatchObject([{ source: "retention", breaks: [{ seq: 4, kind: "altered" }] }]);
  });

  it("removes rows partly in the tree and keeps the chain intact", async () => {
    const { id: orgId } = await createOrg();
    await append(orgId, many(6, 100));
    await signCheckpoint(orgId);
    await append(orgId, [...many(6, 100), 0]);
    await keepFor(orgId, 30);
    expect(await runRetention({ orgIds: [orgId], sliceRows: 5 })).toMatchObject({ rows: 12 });
    expect(await signCheckpoint(orgId)).toMatchObject({ size: 17 });
    expect(await verify(orgId)).toMatchObject({ status: "intact", prunedPrefix: { throughSeq: 12 } });
  });

  it("reports being stopped in its last organization, so it is retried", async () => {
    const orgId = await orgWithExpired(25);
    const stop = new AbortController();
    const run = await whileHeld(
      chainLock(orgId),
      () => runRetention({ orgIds: [orgId], sliceRows: 10, signal: stop.signal }),
      () => stop.abort(),
    );
    expect(run).toMatchObject({ status: "stopped", rows: 10, organizations: [{ slices: 1, lastSeq: 10 }] });
    expect(await runRetention({ orgIds: [orgId] })).toMatchObject({ status: "done", rows: 15 });
  });

  it("runs only once at a time", async () => {
    const orgId = await orgWithExpired(5);
    const other = openAdmin();
    expect(await other.tryLock(0x74726574)).toBe(true);
    expect(await runRetention({ orgIds: [orgId] })).toMatchObject({ status: "busy", rows: 0 });
    await other.end();
    expect(await runRetention({ orgIds: [orgId] })).toMatchObject({ status: "done", rows: 5 });
  });

  it("does nothing without the admin connection, and says so", async () => {
    const orgId = await orgWithExpired(5);
    withSettings({ AUDIT_ADMIN_DATABASE_URL: undefined });
    expect(await runRetention({ orgIds: [orgId] })).toMatchObject({ status: "disabled", rows: 0 });
    expect((await chainOf(orgId)).length).toBe(8);
  });
});

describe("concurrent with pruning", () => {
  it("a running verification keeps its snapshot to the end", async () => {
    const orgId = await orgWithExpired(50);
    const tenant = { kind: "organization", orgIds: [orgId], partnerId: "" } as const;
    const seen = await readChain(tenant, async ({ sql: reader }) => {
      const count = async () =>
        Number((await reader`SELECT count(*) AS n FROM audit_logs WHERE org_id = ${orgId}`)[0]?.n);
      const before = await count();
      await runRetention({ orgIds: [orgId] });
      const [head] = await reader`SELECT pruned_through_seq FROM audit_chain_head(${orgId}::uuid)`;
      return [before, await count(), Number(head?.pruned_through_seq)];
    });
    expect(seen).toEqual([53, 53, 0]);
    expect(await verify(orgId)).toMatchObject({ status: "intact", rowsChecked: 4 });
  });

  it("verifications and writers find no breaks", async () => {
    const orgId = await orgWithExpired(2_000);
    let writing = true;
    const writer = (async () => {
      while (writing) await append(orgId, [0, 0]);
    })();
    const verdicts: string[] = [];
    const verifier = (async () => {
      while (writing) verdicts.push((await verify(orgId)).status);
    })();
    const run = await runRetention({ orgIds: [orgId], sliceRows: 100 });
    writing = false;
    await Promise.all([writer, verifier]);
    expect(run).toMatchObject({ rows: 2_000, organizations: [{ slices: 20 }] });
    expect(new Set(verdicts)).toEqual(new Set(["intact"]));
    expect(await verify(orgId)).toMatchObject({ status: "intact" });
  });
});

it("a slice killed midway leaves nothing behind, and the next run continues", async () => {
  for (let round = 0; round < 5; round++) {
    const orgId = await orgWithExpired(300);
    await runRetention({ orgIds: [orgId], sliceRows: 100, signal: AbortSignal.abort() });
    const before = await headOf(orgId);
    const admin = openAdmin();
    const killed = admin.transaction(
      async (tx) => {
        await tx.execute(sql`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq <= 100`);
        const [me] = (await tx.execute(sql`SELECT pg_backend_pid() AS pid`)) as unknown as { pid: number }[];
        await roles.owner`SELECT pg_terminate_backend(${me?.pid ?? 0})`;
        await tx.execute(sql`SELECT 1`);
      },
      { prune: true },
    );
    await expect(killed).rejects.toThrow();
    await admin.end();
    expect(await headOf(orgId)).toEqual(before);
    expect((await chainOf(orgId)).length).toBe(303);
    expect(await runRetention({ orgIds: [orgId], sliceRows: 100 })).toMatchObject({ rows: 300 });
    expect(await verify(orgId)).toMatchObject({ status: "intact", prunedPrefix: { throughSeq: 300 } });
  }
});
