import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { installFunctions, withSealer } from "@/db/install-functions";
import { migrate } from "@/db/migrate";
import { functionsOfVersion } from "@/db/version";
import { COLUMNS, FIELDS } from "@/server/audit/row";
import { auditRow, auditRows } from "@/testing/chain";
import { installation, prepare } from "./install";
import { cluster } from "./layout";
import { type Layout, oneServer } from "./one-server";

const database = `twins_${randomUUID().slice(0, 8)}`;
const at = (url: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
const server = postgres(inject("ownerDatabaseUrl"), { max: 1, onnotice: () => {} });
const owner = postgres(at(inject("ownerDatabaseUrl")), { max: 1, onnotice: () => {} });
const app = postgres(at(inject("databaseUrl")), { max: 1, onnotice: () => {} });
const columns = FIELDS.map((field) => ({ field, type: COLUMNS[field].type }));
const orgId = randomUUID();
const rows = [
  ...auditRows(orgId, 3),
  auditRow(orgId, { actorEmail: "É@example.com", details: '{"a": 1.0}', errorMessage: "ü" }),
];

/** Runs in a transaction of the owner that is undone. */
async function undone(work: (tx: postgres.TransactionSql) => Promise<void>): Promise<void> {
  const undo = new Error("undo");
  await expect(
    owner.begin(async (tx) => {
      await withSealer(tx, () => work(tx));
      throw undo;
    }),
  ).rejects.toBe(undo);
}

const asSystem = (sql: postgres.ISql) => sql`SELECT set_config('trailmark.scope', 'system', false)`;
const chain = (sql: postgres.ISql) => sql`
  SELECT chain_seq, checksum, prev_checksum, id, org_id, "timestamp", actor_email, details FROM audit_logs
  WHERE org_id = ${orgId} ORDER BY chain_seq`;
const heads = (sql: postgres.ISql) => sql`SELECT * FROM audit_chain_heads_of(${[orgId, randomUUID()]}::uuid[])`;
const append = (to: Layout, sql: postgres.ISql, batch = rows) =>
  to.append(sql as postgres.Sql, { columns, rows: batch });

beforeAll(async () => {
  await server`CREATE DATABASE ${server(database)}`;
  await migrate({ ownerUrl: at(inject("ownerDatabaseUrl")), appUrl: at(inject("databaseUrl")) });
  await asSystem(app);
  await append(oneServer, app);
});
afterAll(async () => {
  await Promise.all([owner.end({ timeout: 5 }), app.end({ timeout: 5 })]);
  await server`DROP DATABASE ${server(database)} WITH (FORCE)`;
  await server.end({ timeout: 5 });
});

const functions = installation(true).functions(functionsOfVersion());
/** As a cluster has it, as far as that is not of several nodes; without the rows of before. */
async function asCluster(tx: postgres.TransactionSql): Promise<void> {
  await tx`SET LOCAL check_function_bodies = off`; // The tables of Citus are not here.
  await installFunctions(tx, functions);
  await prepare(tx);
  await tx`SET LOCAL session_replication_role = replica`;
  await tx`DELETE FROM audit_logs`;
  await tx`DELETE FROM audit_chain_heads`;
  await tx`SET LOCAL session_replication_role = origin`;
  await tx`SET LOCAL ROLE trailmark_app`;
  await asSystem(tx);
}

describe("cluster functions", () => {
  it("seal a batch, skip known rows and reject errors like a single server", async () => {
    const long = [auditRow(orgId, { resourceName: `x${" ".repeat(255)}` })];
    await expect(append(oneServer, app, long)).rejects.toMatchObject({ code: "22001" });
    const taken = rows.slice(0, 1).map((row) => ({ ...row, action: "test.other" }));
    expect(await append(oneServer, app, [...rows, ...taken])).toEqual(taken);
    await undone(async (tx) => {
      const [sealed, head] = [await chain(app), await heads(app)];
      await asCluster(tx);
      expect(await append(cluster, tx)).toEqual([]);
      expect([await chain(tx), await heads(tx)]).toEqual([sealed, head]);
      expect(await append(cluster, tx)).toEqual([]);
      expect(await append(cluster, tx, [...rows, ...taken])).toEqual(taken);
      await expect(tx.savepoint((sp) => append(cluster, sp, long))).rejects.toMatchObject({ code: "22001" });
      await tx`RESET ROLE`;
    });
  });

  it("seal rows inserted one by one like a single server", () =>
    undone(async (tx) => {
      const sealed = await chain(app);
      await asCluster(tx);
      await tx.unsafe(
        `INSERT INTO audit_logs (${FIELDS.map((field) => COLUMNS[field].sql)})
         SELECT * FROM unnest(${columns.map(({ type }, i) => `$${i + 1}::text[]::${type}[]`)})`,
        FIELDS.map((field) => rows.map((row) => row[field])),
      );
      expect(await chain(tx)).toEqual(sealed);
      await tx`RESET ROLE`;
    }));

  it("leave no subquery in history policies, and keep their effect", () =>
    undone(async (tx) => {
      await asCluster(tx);
      const scopeOf = (ids: string[]) =>
        tx`SELECT set_config('trailmark.scope', '', true), set_config('trailmark.org_ids', ${`{${ids}}`}, true)`;
      await append(cluster, tx);
      await scopeOf([randomUUID()]);
      expect([await chain(tx), await heads(tx)]).toEqual([[], []]);
      await scopeOf([orgId]);
      expect([(await chain(tx)).length, (await heads(tx)).length]).toEqual([rows.length, 1]);
      await tx`RESET ROLE`;
      const policies = await tx`
        SELECT policyname FROM pg_policies
        WHERE tablename IN ('audit_logs', 'audit_chain_heads', 'audit_tree_tiles', 'audit_notes', 'device_event_logs')
          AND concat(qual, with_check) LIKE '%SELECT%'`;
      expect([...policies]).toEqual([]);
      expect(await tx`SELECT audit_chain_health() AS faults`).toEqual([{ faults: [] }]);
    }));
});
