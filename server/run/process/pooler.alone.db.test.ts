import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { appSql, asSystem, closeDatabase, tenantInsert } from "@/db/client";
import { connectApp, directUrl } from "@/db/connect";
import { lookUpAll } from "@/db/lookup";
import { migrate } from "@/db/migrate";
import { writerConnection } from "@/server/audit/record/append";
import { createBus } from "@/server/devices/live/bus";
import { verifyChain } from "@/server/evidence/chain/verify";
import { systemCtx } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import { auditRows } from "@/testing/chain";
import { hasPooler, type Pooler, startPooler } from "@/testing/postgres/pooler";
import { withSettings } from "@/testing/settings";
import { checkAddresses } from "./service";

const [app, admin, owner] = [inject("databaseUrl"), inject("adminDatabaseUrl"), inject("ownerDatabaseUrl")];
const asUser = (url: string, username: string, password = "secret") =>
  Object.assign(new URL(url), { username, password }).href;

/** Debian's pgbouncer, where it is installed, between the server and the database of these tests. */
describe.skipIf(!hasPooler())("behind a transaction pooler", () => {
  const newcomer = asUser(app, "pooled_newcomer");
  let pooler: Pooler;
  beforeAll(async () => {
    pooler = await startPooler([app, admin, owner, newcomer]);
    withSettings({
      DATABASE_URL: pooler.url(app),
      DATABASE_DIRECT_URL: app,
      AUDIT_ADMIN_DATABASE_URL: admin,
      DATABASE_PREPARE: false,
      DATABASE_POOL_SIZE: 2,
    });
  });
  afterAll(async () => {
    await closeDatabase();
    await pooler.stop();
  });

  it("returns each of many statements and transactions its own result", async () => {
    const numbers = Array.from({ length: 200 }, (_, i) => i);
    const answers = await Promise.all(
      numbers.map(async (i) => {
        if (i % 4 === 0) return asSystem(async (tx) => (await tx.execute(`SELECT ${i} AS n`))[0]?.n);
        if (i % 4 === 1) return (await lookUpAll<{ n: number }>((sql) => sql`SELECT ${i}::int AS n`))[0]?.n;
        if (i % 4 === 2) return (await appSql().unsafe(`SELECT ${i} AS n`))[0]?.n;
        return (await appSql()`SELECT ${appSql().unsafe(String(i))} AS n`)[0]?.n;
      }),
    );
    expect(answers).toEqual(numbers);
    expect(pooler.log()).not.toContain("not linked");
  });

  it("keeps row level security between transactions of different callers", async () => {
    const insert = (sql: postgres.ISql) => sql`
      INSERT INTO agent_logs (org_id, device_id) SELECT NULL, NULL FROM tenant WHERE false`;
    await Promise.all(Array.from({ length: 20 }, () => tenantInsert({ kind: "system" }, [insert, insert])));
    const scopes = await Promise.all(
      Array.from({ length: 20 }, () => appSql()`SELECT current_setting('trailmark.scope', true) AS scope`),
    );
    for (const [row] of scopes) expect(row?.scope || "").toBe("");
  });

  it("records through the pooler and verifies the chain on a direct connection", async () => {
    const orgId = crypto.randomUUID();
    const writer = writerConnection();
    await Promise.all([1, 2, 3].map(() => writer.append(auditRows(orgId, 20))));
    await writer.close();
    expect(await verifyChain(systemCtx(), { orgId })).toMatchObject({ status: "intact", rowsChecked: 60 });
  });

  it("receives notifications from other processes", async () => {
    const bus = createBus();
    const heard = new Promise(
      (resolve) => void bus.listen(crypto.randomUUID(), resolve, () => {}).then(() => bus.notifyAll("callers")),
    );
    expect(await heard).toBe("callers");
    await bus.close();
  });

  it("creates a login role and admits it through the pooler immediately", async () => {
    await migrate({ ownerUrl: owner, appUrl: pooler.url(newcomer) });
    const sql = connectApp({ name: "newcomer", url: pooler.url(newcomer), max: 1 });
    expect(await sql`SELECT current_user AS name`).toEqual([{ name: "pooled_newcomer" }]);
    await sql.end();
    expect(pooler.log()).not.toContain("login failed");
  });

  it("explains which URL must bypass the pooler", async () => {
    await expect(checkAddresses()).resolves.toBeUndefined();
    await expect(migrate({ ownerUrl: pooler.url(owner), appUrl: app })).rejects.toThrow(
      /TRAILMARK_OWNER_DATABASE_URL.+leads to a pooler\. It must not/,
    );
    const kept = { ...env() };
    for (const [change, message] of [
      [{ DATABASE_PREPARE: true }, /the application role .+ leads to a pooler\. Set DATABASE_PREPARE=false/],
      [{ DATABASE_DIRECT_URL: pooler.url(app) }, /DATABASE_DIRECT_URL.+leads to a pooler/],
      [{ AUDIT_ADMIN_DATABASE_URL: pooler.url(admin) }, /AUDIT_ADMIN_DATABASE_URL.+leads to a pooler/],
    ] as const) {
      withSettings({ ...kept, ...change });
      await expect(checkAddresses()).rejects.toThrow(message);
    }
    withSettings(kept);
    expect(directUrl()).toBe(app);
  });

  it("fails with plain postgres.js", async () => {
    // The two answers must come in two packets, which is up to the machine: so often that they do.
    const attempt = async () => {
      const plain = postgres(pooler.url(app), { max: 1, prepare: false, fetch_types: false, onnotice: () => {} });
      await plain`SELECT 1`;
      const both = [plain`SELECT pg_sleep(0.05)`.execute(), plain`SELECT ${1}::int`.execute()];
      for (const query of both) query.catch(() => {});
      await sleep(150);
      await plain.end({ timeout: 0 });
      return pooler.log();
    };
    await expect.poll(attempt).toContain("not linked");
  });
});
