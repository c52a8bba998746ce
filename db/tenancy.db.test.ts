import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, describe, expect, inject, it } from "vitest";
import { appendEvents } from "@/testing/audit-entries";
import { createApiKey, createDevice, createEnrollmentKey, createOrg, createUser } from "@/testing/factories";
import { orderedCases, reportCases } from "@/testing/ordered";
import { asSystem, tenant } from "./client";

const owner = postgres(inject("ownerDatabaseUrl"), { max: 1, onnotice: () => {} });
const app = postgres(inject("databaseUrl"), { max: 5, onnotice: () => {} });
afterAll(() => Promise.all([owner.end({ timeout: 5 }), app.end({ timeout: 5 })]));

/** Tables that the application role may read and whose rows belong to an organization. */
const tenantTables = async (): Promise<string[]> => {
  const rows = await owner<{ name: string }[]>`
    SELECT c.relname AS name FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id' AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace ORDER BY 1`;
  return rows.map((r) => r.name);
};

async function fillOrg(): Promise<string> {
  const { id } = await createOrg();
  await createUser({ orgId: id });
  await createApiKey({ orgId: id });
  await createEnrollmentKey({ orgId: id });
  await createDevice({ orgId: id });
  await appendEvents([{ orgId: id }, { orgId: id }]);
  return id;
}

describe("row level security", () => {
  it("is forced on every table with an org_id", async () => {
    const rows = await owner`
      SELECT c.relname FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id' AND NOT a.attisdropped
      WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`;
    expect(rows.map((r) => r.relname)).toEqual([]);
    expect((await tenantTables()).length).toBeGreaterThan(8);
  });

  it("returns and writes no row without a tenant", async () => {
    const orgId = await fillOrg();
    for (const table of await tenantTables()) {
      const [right] = await owner`SELECT has_table_privilege('trailmark_app', ${`public.${table}`}, 'SELECT') AS may`;
      if (!right?.may) continue;
      const [found] = await app.unsafe(`SELECT count(*)::int AS n FROM ${table}`);
      expect([table, found?.n]).toEqual([table, 0]);
    }
    await expect(app`INSERT INTO devices (org_id, hostname, os) VALUES (${orgId}, 'WS-1', 'linux')`).rejects.toThrow(
      /row-level security/,
    );
    await expect(
      app`INSERT INTO audit_logs (org_id, actor_type, actor_id, action, resource_type, result) VALUES (${orgId}, 'system', ${randomUUID()}, 'x', 'y', 'success')`,
    ).rejects.toThrow(/row-level security/);
  });

  it("does not keep a tenant for the connection's next user", async () => {
    const orgId = await fillOrg();
    await tenant({ kind: "organization", orgIds: [orgId], partnerId: "" }, (tx) => tx.execute(sql`SELECT 1`));
    const [leftover] =
      await app`SELECT current_setting('trailmark.org_ids', true) AS orgs, current_setting('trailmark.scope', true) AS scope`;
    expect([leftover?.orgs ?? "", leftover?.scope ?? ""]).toEqual(["", ""]);
  });

  it("separates two organizations over interleaved queries on five connections", async () => {
    const queries = orderedCases(2_000);
    const orgs = [await fillOrg(), await fillOrg()];
    const tables = ["devices", "users", "api_keys", "enrollment_keys", "agents", "audit_logs"];
    let foreign = 0;
    let seen = 0;
    const one = async (i: number) => {
      const own = orgs[i % 2] as string;
      await app.begin(async (tx) => {
        await tx`SELECT set_config('trailmark.org_ids', ${`{${own}}`}, true)`;
        const rows = await tx.unsafe(`SELECT org_id FROM ${tables[i % tables.length]}`);
        for (const row of rows) {
          seen++;
          if (row.org_id !== own) foreign++;
        }
      });
    };
    for (let at = 0; at < queries; at += 50) await Promise.all(Array.from({ length: 50 }, (_, i) => one(at + i)));
    expect(foreign).toBe(0);
    expect(seen).toBeGreaterThan(queries);
    // The control: with the platform's own sight the same query does see both.
    const all = await asSystem((tx) =>
      tx.execute(sql`SELECT DISTINCT org_id FROM devices WHERE org_id IN (${orgs[0]}::uuid, ${orgs[1]}::uuid)`),
    );
    expect(all.length).toBe(2);
    reportCases(queries, `${seen} rows of two organizations; without a tenant the same query saw both`);
  });
});
