import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { describe, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { signCheckpoint } from "@/server/evidence/integrity/checkpoints";
import { verifyBetween } from "@/server/evidence/integrity/integrity";
import { judgeChain } from "@/server/evidence/integrity/judge";
import { systemCtx } from "@/server/ground/context";
import { auditRow, auditRows, chainOf, daysAgo, roles, tamper } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { orderedCases, reportCases } from "@/testing/ordered";
import { permit } from "@/testing/permit";
import { checksumOf } from "./chain-hash";
import { verifyChain } from "./verify";

async function chainWith(count: number): Promise<string> {
  const { id } = await createOrg();
  await appendAudit(
    roles.app,
    auditRows(id, count).map((row, i) => ({
      ...row,
      resourceName: `WS-${i + 1}`,
      userAgent: "agent",
      resourceId: randomUUID(),
      errorMessage: "none",
    })),
  );
  return id;
}

const verify = (orgId: string) => verifyChain(systemCtx(), { orgId });
const between = async (orgId: string, range: { from: Date; to: Date }) => (await verifyBetween(orgId, range)).found;

/** Gives every row from a sequence on the checksums that its contents now ask for. */
async function rehashFrom(tx: postgres.TransactionSql, orgId: string, seq: number): Promise<void> {
  const rows = (await tx`
    SELECT a.id, a.org_id AS "orgId", (extract(epoch FROM a."timestamp") * 1000)::bigint AS "timestampMs", a.actor_type AS "actorType",
      a.actor_id AS "actorId", a.actor_email AS "actorEmail", a.action, a.resource_type AS "resourceType", a.resource_id AS "resourceId",
      a.resource_name AS "resourceName", a.details::text AS details, a.ip_address AS "ipAddress", a.user_agent AS "userAgent", a.result,
      a.error_message AS "errorMessage", a.chain_seq AS "chainSeq", a.checksum, a.prev_checksum AS "prevChecksum"
    FROM audit_logs a WHERE a.org_id = ${orgId} ORDER BY a.chain_seq`) as unknown as (Parameters<
    typeof checksumOf
  >[0] & { checksum: string })[];
  let prev: string | null = null;
  for (const row of rows) {
    if (Number(row.chainSeq) >= seq) {
      row.prevChecksum = prev;
      row.checksum = checksumOf(row);
      await tx`UPDATE audit_logs SET prev_checksum = ${prev}, checksum = ${row.checksum} WHERE id = ${row.id}`;
    }
    prev = row.checksum;
  }
  await tx`UPDATE audit_chain_heads SET checksum = ${prev} WHERE org_id = ${orgId}`;
}

describe("a clean chain", () => {
  it("is intact in whole, by time and with checkpoints", async () => {
    const orgId = await chainWith(20);
    await signCheckpoint(orgId);
    await appendAudit(roles.app, auditRows(orgId, 5));
    expect(await verify(orgId)).toMatchObject({
      status: "intact",
      rowsChecked: 25,
      firstSeq: 1,
      lastSeq: 25,
      prunedPrefix: null,
      breaks: [],
      head: { seq: 25 },
    });
    const rows = await chainOf(orgId);
    const ranged = await between(orgId, { from: new Date(Number(rows[20]?.timestampMs)), to: new Date() });
    expect(ranged).toMatchObject({ status: "intact", breaks: [] });
    expect(await verifyChain(systemCtx(), { orgId, fromSeq: 7, toSeq: 9 })).toMatchObject({
      status: "intact",
      rowsChecked: 3,
      firstSeq: 7,
      lastSeq: 9,
    });
  });

  it("without rows is empty", async () => {
    const { id } = await createOrg();
    expect(await verify(id)).toMatchObject({ status: "empty", rowsChecked: 0, firstSeq: null, head: null });
  });

  it("raises no false alarm while eight writers write", async () => {
    const verdicts = orderedCases(15);
    let orgId = "";
    for (let done = 0; done < verdicts; done += 15) {
      orgId = await chainWith(50);
      const writers = Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 20; i++) await appendAudit(roles.app, [auditRow(orgId)]);
      });
      for (let i = 0; i < Math.min(15, verdicts - done); i++) expect((await verify(orgId)).breaks).toEqual([]);
      await Promise.all(writers);
    }
    await tamper((tx) => tx`UPDATE audit_logs SET action = 'x' WHERE org_id = ${orgId} AND chain_seq = 40`);
    const { breaks } = await verify(orgId);
    expect(breaks).toMatchObject([{ seq: 40, kind: "altered" }]);
    reportCases(verdicts, "an altered entry was seen at its place");
  });
});

const COLUMNS: [string, string][] = [
  ["id", "gen_random_uuid()"],
  ["timestamp", "timestamp + interval '1 millisecond'"],
  ["actor_type", "'system'"],
  ["actor_id", "gen_random_uuid()"],
  ["actor_email", "'other@example.test'"],
  ["action", "'device.delete'"],
  ["resource_type", "'policy'"],
  ["resource_id", "NULL"],
  ["resource_name", "resource_name || ' '"],
  ["details", `details || '{"x": 1.0}'`],
  ["ip_address", "'203.0.113.8'"],
  ["user_agent", "''"],
  ["result", "'failure'"],
  ["error_message", "NULL"],
  ["checksum", "repeat('0', 64)"],
  ["prev_checksum", "repeat('0', 64)"],
];

describe("tampering", () => {
  it.each(COLUMNS)("is reported at its row: %s", async (column, value) => {
    const orgId = await chainWith(12);
    await tamper((tx) =>
      tx.unsafe(`UPDATE audit_logs SET "${column}" = ${value} WHERE org_id = '${orgId}' AND chain_seq = 7`),
    );
    const found = await verify(orgId);
    expect(found.status).toBe("broken");
    expect(found.breaks[0]).toMatchObject({ seq: 7, kind: "altered" });
  });

  it("deleting a row is detected at its sequence", async () => {
    const orgId = await chainWith(12);
    await tamper((tx) => tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq = 7`);
    expect((await verify(orgId)).breaks).toEqual([
      { seq: 7, id: "", kind: "missing", expected: "sequence 7", actual: "sequence 8" },
    ]);
  });

  it("inserting a row after the head or without a seal is detected", async () => {
    const orgId = await chainWith(12);
    const copy = (seq: string) => (tx: postgres.TransactionSql) =>
      tx.unsafe(`INSERT INTO audit_logs (org_id, actor_type, actor_id, action, resource_type, result, chain_seq, checksum, prev_checksum)
        SELECT org_id, actor_type, actor_id, action, resource_type, result, ${seq}, repeat('1', 64), checksum FROM audit_logs WHERE org_id = '${orgId}' AND chain_seq = 12`);
    await tamper(copy("NULL"));
    expect((await verify(orgId)).breaks[0]).toMatchObject({ kind: "unsealed" });
    await tamper(copy("13"));
    expect((await verify(orgId)).breaks.map((b) => b.kind)).toContain("truncated");
  });

  it("swapping two rows is detected at the first", async () => {
    const orgId = await chainWith(12);
    await tamper(async (tx) => {
      await tx`UPDATE audit_logs SET chain_seq = 1005 WHERE org_id = ${orgId} AND chain_seq = 5`;
      await tx`UPDATE audit_logs SET chain_seq = 5 WHERE org_id = ${orgId} AND chain_seq = 9`;
      await tx`UPDATE audit_logs SET chain_seq = 9 WHERE org_id = ${orgId} AND chain_seq = 1005`;
    });
    expect((await verify(orgId)).breaks[0]).toMatchObject({ seq: 5, kind: "altered" });
  });

  it("moving a row to another organization is detected in both chains", async () => {
    const [from, to] = [await chainWith(12), await chainWith(6)];
    await tamper((tx) => tx`UPDATE audit_logs SET org_id = ${to} WHERE org_id = ${from} AND chain_seq = 7`);
    expect((await verify(from)).breaks[0]).toMatchObject({ seq: 7, kind: "missing" });
    expect((await verify(to)).breaks[0]).toMatchObject({ seq: 7, kind: "altered" });
  });

  it("truncating the tail is detected by the head, or by a checkpoint if the head changed too", async () => {
    const orgId = await chainWith(12);
    await signCheckpoint(orgId);
    await tamper((tx) => tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq > 9`);
    expect((await judgeChain(orgId)).breaks[0]).toMatchObject({ seq: 10, kind: "truncated" });
    await tamper(
      (tx) =>
        tx`UPDATE audit_chain_heads h SET seq = 9, checksum = (SELECT checksum FROM audit_logs a WHERE a.org_id = h.org_id AND chain_seq = 9) WHERE org_id = ${orgId}`,
    );
    expect((await judgeChain(orgId)).breaks[0]).toMatchObject({ seq: 10, kind: "truncated" });
    expect(await signCheckpoint(orgId)).toBeNull();
  });

  it("deleting the first rows is detected, even if the head claims unreceipted pruning", async () => {
    const orgId = await chainWith(12);
    await tamper((tx) => tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq <= 4`);
    expect((await verify(orgId)).breaks[0]).toMatchObject({ seq: 1, kind: "missing" });
    await tamper(
      (tx) =>
        tx`UPDATE audit_chain_heads h SET pruned_through_seq = 4, pruned_through_checksum = (SELECT prev_checksum FROM audit_logs a WHERE a.org_id = h.org_id AND chain_seq = 5) WHERE org_id = ${orgId}`,
    );
    expect((await verify(orgId)).breaks[0]).toMatchObject({ kind: "missing" });
  });

  it("deleting the whole chain is detected by the head, then by the checkpoint", async () => {
    const orgId = await chainWith(12);
    await signCheckpoint(orgId);
    await tamper((tx) => tx`DELETE FROM audit_logs WHERE org_id = ${orgId}`);
    expect((await judgeChain(orgId)).breaks[0]).toMatchObject({ seq: 1, kind: "truncated" });
    await tamper((tx) => tx`DELETE FROM audit_chain_heads WHERE org_id = ${orgId}`);
    expect((await judgeChain(orgId)).breaks[0]).toMatchObject({ seq: 1, kind: "truncated" });
  });

  it("rehashing everything after a change is detected at the checkpoint", async () => {
    const orgId = await chainWith(6);
    await signCheckpoint(orgId);
    await appendAudit(roles.app, auditRows(orgId, 4));
    await tamper(async (tx) => {
      await tx`UPDATE audit_logs SET result = 'failure' WHERE org_id = ${orgId} AND chain_seq = 3`;
      await rehashFrom(tx, orgId, 3);
    });
    expect((await judgeChain(orgId)).breaks[0]).toMatchObject({ seq: 6, kind: "altered" });
    expect(await signCheckpoint(orgId)).toBeNull();
  });

  it("rehashing only one row is detected at the broken link", async () => {
    const orgId = await chainWith(8);
    await tamper(async (tx) => {
      const rows = await chainOf(orgId);
      const row = { ...(rows[3] as (typeof rows)[number]), result: "failure" };
      await tx`UPDATE audit_logs SET result = 'failure', checksum = ${checksumOf(row)} WHERE org_id = ${orgId} AND chain_seq = 4`;
    });
    expect((await verify(orgId)).breaks[0]).toMatchObject({ seq: 5, kind: "relinked" });
  });

  it("restoring an older backup is detected by a later checkpoint", async () => {
    const orgId = await chainWith(8);
    const [head] = await roles.admin`SELECT seq, checksum FROM audit_chain_heads WHERE org_id = ${orgId}`;
    await appendAudit(roles.app, auditRows(orgId, 4));
    await signCheckpoint(orgId);
    await tamper(async (tx) => {
      await tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq > 8`;
      await tx`UPDATE audit_chain_heads SET seq = ${head?.seq}, checksum = ${head?.checksum} WHERE org_id = ${orgId}`;
    });
    expect((await judgeChain(orgId)).breaks[0]).toMatchObject({ seq: 9, kind: "truncated" });
    await appendAudit(roles.app, auditRows(orgId, 6));
    expect((await judgeChain(orgId)).breaks[0]).toMatchObject({ seq: 12, kind: "altered" });
  });

  it("deleting rows at the edges of a time range is detected in that range", async () => {
    for (const gone of [
      [20, 20],
      [20, 29],
      [29, 29],
      [10, 40],
    ] as const) {
      const { id: orgId } = await createOrg();
      const start = Date.now() - 3_600_000;
      const at = (n: number) => new Date(start + n * 1_000);
      await appendAudit(
        roles.app,
        auditRows(orgId, 40).map((row, i) => ({ ...row, timestamp: at(i + 1).toISOString() })),
      );
      const range = { from: at(20), to: at(29) };
      expect(await between(orgId, range)).toMatchObject({
        status: "intact",
        rowsChecked: 10,
        firstSeq: 20,
        lastSeq: 29,
      });
      await tamper(
        (tx) => tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq BETWEEN ${gone[0]} AND ${gone[1]}`,
      );
      expect((await between(orgId, range)).status).toBe("broken");
      expect((await verifyChain(systemCtx(), { orgId, fromSeq: 20, toSeq: 29 })).status).toBe("broken");
    }
  });

  it("changing a row's time to leave a range is detected in that range", async () => {
    const orgId = await chainWith(12);
    const [first, , last] = [await chainOf(orgId)].flatMap((rows) => [rows[0], null, rows[11]]);
    const range = { from: new Date(Number(first?.timestampMs)), to: new Date(Number(last?.timestampMs)) };
    await tamper(
      (tx) =>
        tx`UPDATE audit_logs SET timestamp = timestamp - interval '1 year' WHERE org_id = ${orgId} AND chain_seq = 6`,
    );
    expect(await between(orgId, range)).toMatchObject({ status: "broken", breaks: [{ seq: 6 }] });
  });

  it("a forged copy of a receipt has no effect", async () => {
    const { id: orgId } = await createOrg();
    await appendAudit(roles.app, auditRows(orgId, 10, { timestamp: daysAgo(400) }));
    await appendAudit(roles.app, auditRows(orgId, 4));
    await permit(orgId, 10);
    await roles.admin.begin(async (tx) => {
      await tx`SET LOCAL trailmark.prune = 'on'`;
      await tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq <= 10`;
    });
    const forged = { firstSeq: 1, lastSeq: 10, count: 10, lastChecksum: "f".repeat(64), retentionDays: 365 };
    const row = { actorType: "system", action: "audit.retention.prune", details: JSON.stringify(forged) } as const;
    await appendAudit(roles.app, [auditRow(orgId, row), auditRow(orgId, { ...row, actorType: "user" })]);
    expect(await verify(orgId)).toMatchObject({ status: "intact", prunedPrefix: { throughSeq: 10 }, breaks: [] });
  });
});
