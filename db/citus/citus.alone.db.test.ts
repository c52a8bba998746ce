import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, inject, it } from "vitest";
import { appSql, closeDatabase } from "@/db/client";
import { migrate } from "@/db/migrate";
import { appendAudit } from "@/server/audit/record/append";
import { verifyChain } from "@/server/evidence/chain/verify";
import { systemCtx } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import { runRetention } from "@/server/retention/run";
import { auditRow, auditRows, chainOf, daysAgo, expectIntact, insertRaw, inTenant, roles } from "@/testing/chain";
import { layout } from "./layout";

const addresses = () => ({ ownerUrl: inject("ownerDatabaseUrl"), appUrl: inject("databaseUrl") });
const isCluster = env().TRAILMARK_CITUS;

afterAll(closeDatabase);

describe.skipIf(isCluster)("TRAILMARK_CITUS on one PostgreSQL", () => {
  it("is rejected without the extension, for owner and application", async () => {
    const { appUrl, ownerUrl } = addresses();
    await expect(migrate({ ownerUrl, appUrl, citus: true })).rejects.toThrow(/CREATE EXTENSION citus on every node/);
    await expect(migrate({ appUrl, citus: true })).rejects.toThrow(/CREATE EXTENSION citus on every node/);
  });

  it("off checks only this server", async () => {
    expect(await layout().chainHealth(appSql())).toEqual({ faults: [], silent: [] });
  });
});

/** Two organizations whose shards are on two nodes. */
async function onTwoNodes(): Promise<[string, string]> {
  const nodes = new Map<number, string>();
  while (nodes.size < 2) {
    const org = randomUUID();
    const [row] = await roles.owner<{ node: number }[]>`
      SELECT groupid AS node FROM pg_dist_placement
      WHERE shardid = get_shard_id_for_distribution_column('audit_logs', ${org}::uuid)`;
    if (row) nodes.set(row.node, org);
  }
  const [one, two] = nodes.values();
  return [one as string, two as string];
}

/** Runs where TEST_OWNER_DATABASE_URL names a cluster and its superuser, with TRAILMARK_CITUS=on. */
describe.runIf(isCluster)("Citus cluster", () => {
  it("rejects a distributed database without the setting", async () => {
    await expect(migrate(addresses())).rejects.toThrow(/set TRAILMARK_CITUS=on/);
  });

  it("fails one of two crossed transactions and stores the other", async () => {
    const [one, two] = await onTwoNodes();
    let waiting = 0;
    const both: (() => void)[] = [];
    const meet = () =>
      new Promise<void>((resolve) => {
        both.push(resolve);
        if (++waiting === 2) for (const go of both) go();
      });
    const crossing = (first: string, second: string) =>
      inTenant([first, second], async (tx) => {
        await insertRaw(tx, first);
        await meet();
        await insertRaw(tx, second);
      });
    const ends = await Promise.allSettled([crossing(one, two), crossing(two, one)]);
    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const failed = ends.find((end) => end.status === "rejected");
    expect(["40P01", "55P03"]).toContain(failed?.reason.code);
    await expectIntact(one, 1);
    await expectIntact(two, 1);
  });

  it("appends to organizations on several nodes, each row once", async () => {
    const [one, two] = await onTwoNodes();
    const rows = [auditRow(one), auditRow(two), auditRow(one)];
    expect(await appendAudit(roles.app, rows)).toBe(3);
    expect(await appendAudit(roles.app, rows)).toBe(0);
    await expectIntact(one, 2);
    await expectIntact(two, 1);
  });

  it("prunes only expired rows of chains on two nodes, each slice with a receipt", async () => {
    const orgIds = await onTwoNodes();
    for (const orgId of orgIds) {
      await appendAudit(roles.app, auditRows(orgId, 300, { timestamp: daysAgo(100) }));
      await appendAudit(roles.app, auditRows(orgId, 2));
      const entry = { id: randomUUID(), actorType: "system", actorId: orgId };
      await inTenant(
        [orgId],
        (tx) => tx`SELECT audit_set_retention(${orgId}::uuid, 30, ${JSON.stringify(entry)}::text::jsonb)`,
      );
    }
    const remove = (orgId: string, through: number) =>
      roles.admin.begin(async (tx) => {
        await tx.unsafe("SET LOCAL trailmark.scope = 'system'");
        await tx.unsafe("SET LOCAL trailmark.prune = 'on'");
        await tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq <= ${through}`;
      });
    for (const orgId of orgIds) await expect(remove(orgId, 10)).rejects.toThrow(/no receipt permits/);
    expect(await runRetention({ orgIds, sliceRows: 120 })).toMatchObject({
      status: "done",
      rows: 600,
      organizations: orgIds.map(() => ({ rows: 300, slices: 3, firstSeq: 1, lastSeq: 300 })),
    });
    for (const orgId of orgIds) {
      const rows = await chainOf(orgId);
      expect(rows.map(({ chainSeq }) => Number(chainSeq))).toEqual([301, 302, 303, 304, 305, 306]);
      expect(rows.slice(3).map(({ action }) => action)).toEqual(Array(3).fill("audit.retention.prune"));
      await expectIntact(orgId, 6);
      expect(await verifyChain(systemCtx(), { orgId })).toMatchObject({
        status: "intact",
        prunedPrefix: { throughSeq: 300 },
      });
      await expect(remove(orgId, 303)).rejects.toThrow(/still inside the retention window/);
      await expect(roles.app`DELETE FROM audit_logs WHERE org_id = ${orgId}`).rejects.toThrow(/permission denied/);
    }
    expect(await runRetention({ orgIds })).toMatchObject({ rows: 0 });
  });

  it("reports an extra right on a shard and a disabled trigger", async () => {
    expect((await layout().chainHealth(appSql())).faults).toEqual([]);
    const onShards = (command: string) => roles.owner`SELECT run_command_on_shards('audit_trees', ${command})`;
    await onShards("GRANT DELETE ON %s TO trailmark_app");
    await onShards("ALTER TABLE %s DISABLE TRIGGER USER");
    try {
      const { faults } = await layout().chainHealth(appSql());
      expect(faults).toContainEqual(expect.stringMatching(/trailmark_app has DELETE on shard audit_trees_\d+$/));
      expect(faults).toContainEqual(expect.stringMatching(/trigger audit_trees_no_update on shard audit_trees_\d+ is/));
    } finally {
      await onShards("ALTER TABLE %s ENABLE TRIGGER USER");
      await onShards("REVOKE DELETE ON %s FROM trailmark_app");
    }
    expect((await layout().chainHealth(appSql())).faults).toEqual([]);
  });
});
