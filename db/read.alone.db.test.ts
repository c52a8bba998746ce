import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { env } from "@/server/ground/env";
import { auditRows } from "@/testing/chain";
import { type DebianPostgres, hasDebianPostgres, startPrimary, startReplica } from "@/testing/postgres/debian";
import { withSettings } from "@/testing/settings";
import { appSql, closeDatabase, type Tx } from "./client";
import { migrate } from "./migrate";
import { readsBy, tenantRead } from "./read";
import { rowsOf } from "./rows";

const onReplica = async (tx: Tx) =>
  (await rowsOf<{ replica: boolean }>(tx, sql`SELECT pg_is_in_recovery() AS replica`))[0]?.replica;
const countOf = (orgId: string, of = orgId) =>
  tenantRead({ kind: "organization", orgIds: [orgId], partnerId: "" }, async (tx) => {
    const [row] = await rowsOf<{ n: number }>(
      tx,
      sql`SELECT count(*)::int AS n FROM audit_logs WHERE org_id = ${of}::uuid`,
    );
    return { n: row?.n, replica: await onReplica(tx) };
  });
const write = (orgId: string, count: number) => appendAudit(appSql(), auditRows(orgId, count));

/** A cluster with an empty database of this version. */
async function startTrailmark(): Promise<DebianPostgres> {
  const primary = await startPrimary();
  const setUp = postgres(primary.url("super", "postgres"), { max: 1, onnotice: () => {} });
  await setUp`CREATE ROLE trailmark_owner LOGIN CREATEROLE PASSWORD 'secret'`;
  await setUp`CREATE DATABASE trailmark OWNER trailmark_owner`;
  await setUp.end();
  await migrate({ ownerUrl: primary.url("trailmark_owner"), appUrl: primary.url("trailmark_app") });
  return primary;
}

describe.skipIf(!hasDebianPostgres())("reads by DATABASE_READ_URL", () => {
  let primary: DebianPostgres;
  let replica: DebianPostgres;
  let admin: postgres.Sql;
  beforeAll(async () => {
    primary = await startTrailmark();
    replica = await startReplica(primary);
    admin = postgres(replica.url("super"), { max: 1, onnotice: () => {} });
    withSettings({
      DATABASE_URL: primary.url("trailmark_app"),
      DATABASE_READ_URL: replica.url("trailmark_app"),
    });
  });
  afterAll(async () => {
    await closeDatabase();
    await admin?.end({ timeout: 1 });
    replica?.remove();
    primary?.remove();
  });

  it("return every acknowledged write, mostly from the replica", async () => {
    const orgId = randomUUID();
    const before = { ...readsBy };
    for (let n = 1; n <= 40; n++) {
      await write(orgId, 1);
      expect((await countOf(orgId)).n).toBe(n);
    }
    await expect.poll(() => countOf(orgId)).toEqual({ n: 40, replica: true });
    expect(readsBy.replica).toBeGreaterThan(before.replica);
  });

  it("obey row level security on the replica", async () => {
    const [own, foreign] = [randomUUID(), randomUUID()];
    await write(foreign, 5);
    await expect.poll(() => countOf(foreign)).toEqual({ n: 5, replica: true });
    await expect.poll(() => countOf(own, foreign)).toEqual({ n: 0, replica: true });
  });

  it("use the primary while the replica lags", async () => {
    const orgId = randomUUID();
    await admin`SELECT pg_wal_replay_pause()`;
    await write(orgId, 3);
    expect(await countOf(orgId)).toEqual({ n: 3, replica: false });
    await admin`SELECT pg_wal_replay_resume()`;
    await expect.poll(async () => (await countOf(orgId)).replica).toBe(true);
  });

  it("use the primary when the replica refuses, and keep query errors", async () => {
    const writing = tenantRead({ kind: "system" }, async (tx) => {
      await tx.execute(sql`CREATE TEMPORARY TABLE made_up (n int) ON COMMIT DROP`);
      return onReplica(tx);
    });
    expect(await writing).toBe(false);
    const wrong = tenantRead({ kind: "system" }, (tx) => tx.execute(sql`SELECT 1 / 0`));
    await expect(wrong).rejects.toMatchObject({ cause: { code: "22012" } });
  });

  it("use the primary while the replica is down, and the replica afterwards", async () => {
    const orgId = randomUUID();
    await write(orgId, 2);
    await expect.poll(() => countOf(orgId)).toEqual({ n: 2, replica: true });
    replica.stop();
    for (let i = 0; i < 5; i++) expect(await countOf(orgId)).toEqual({ n: 2, replica: false });
    replica.start();
    await expect.poll(async () => (await countOf(orgId)).replica).toBe(true);
  });

  it("use the primary when the URL points to a replica of another cluster", async () => {
    const orgId = randomUUID();
    await write(orgId, 2);
    const elsewhere = await startTrailmark();
    const ahead = postgres(elsewhere.url("super"), { max: 1, onnotice: () => {} });
    // Past the primary's position, so that the position alone would say that it shows everything.
    for (let i = 0; i < 3; i++) await ahead`SELECT pg_logical_emit_message(false, 'a', 'b'), pg_switch_wal()`;
    await ahead.end();
    const stranger = await startReplica(elsewhere);
    try {
      vi.resetModules();
      const settings: typeof import("@/server/ground/env") = await import("@/server/ground/env");
      Object.assign(settings.env(), { ...env(), DATABASE_READ_URL: stranger.url("trailmark_app") });
      const fresh: typeof import("./read") = await import("./read");
      const read = async () => {
        const seen = await fresh.tenantRead({ kind: "organization", orgIds: [orgId], partnerId: "" }, (tx) =>
          rowsOf<{ n: number }>(tx, sql`SELECT count(*)::int AS n FROM audit_logs WHERE org_id = ${orgId}::uuid`),
        );
        expect([...seen]).toEqual([{ n: 2 }]);
        return fresh.readsBy;
      };
      // A replica that is slow to let a connection in counts as away at first.
      await expect.poll(read).toMatchObject({ replica: 0, behind: 1 });
      await (await import("./client")).closeDatabase();
    } finally {
      stranger.remove();
      elsewhere.remove();
    }
  });
});
