import { randomUUID } from "node:crypto";
import { expect, inject, it } from "vitest";
import { roles } from "@/testing/chain";
import { freePort } from "@/testing/server";
import { tightLimits } from "./limits";
import { reach } from "./reach";

const app = inject("databaseUrl");
const { host } = new URL(app);
const role = "the application role (DATABASE_URL)";
/** The application's address, where each new session has these settings. */
const withSettings = (settings: Record<string, string>) => `${app}?${new URLSearchParams(settings)}`;
const refusal = (url: string) => reach({ url, role, withinMs: 0 });

it("connects to a writable database", async () => {
  const sql = await reach({ url: app, role });
  expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  await sql.end();
});

it("rejects a read-only replica", async () => {
  await expect(refusal(withSettings({ default_transaction_read_only: "on" }))).rejects.toMatchObject({
    expected: true,
    message: `The database at ${host} takes no writes: it is a replica, or read-only. The address of ${role} must lead to the primary.`,
  });
});

it("rejects a PostgreSQL that is too old immediately", async () => {
  const schema = `old_${randomUUID().slice(0, 8)}`;
  await roles.owner.unsafe(`CREATE SCHEMA ${schema}; GRANT USAGE ON SCHEMA ${schema} TO PUBLIC;
    CREATE FUNCTION ${schema}.current_setting(name text) RETURNS text LANGUAGE sql AS $$
      SELECT CASE name WHEN 'server_version_num' THEN '140020' WHEN 'server_version' THEN '14.20'
        ELSE pg_catalog.current_setting(name) END $$`);
  const old = reach({ url: withSettings({ search_path: `${schema},pg_catalog` }), role });
  await expect(old).rejects.toThrow(`The database at ${host} is PostgreSQL 14.20; Trailmark needs 15 or newer.`);
  await roles.owner.unsafe(`DROP SCHEMA ${schema} CASCADE`);
});

it("explains an invalid host, port, TLS, password or database", async () => {
  const changed = (change: Partial<URL>) => Object.assign(new URL(app), change).href;
  const port = String(await freePort());
  await expect(refusal(changed({ port }))).rejects.toThrow(`:${port} cannot be reached (ECONNREFUSED); the address is`);
  await expect(refusal(changed({ hostname: "nowhere.invalid" }))).rejects.toThrow(
    /nowhere.invalid.* cannot be reached \(E/,
  );
  await expect(refusal(changed({ search: "sslmode=require" }))).rejects.toThrow("does not speak TLS");
  await expect(refusal(changed({ pathname: "/nowhere" }))).rejects.toThrow(/does not let .* in: .*"nowhere"/);
});

it("warns about role limits that are too tight, and only those", async () => {
  expect(await tightLimits(roles.app, 2)).toEqual([]);
  const hurried = await reach({ url: withSettings({ statement_timeout: "2500" }), role });
  const [timeout, connections, ...others] = await tightLimits(hurried, 100_000);
  expect(timeout).toMatch(/^statement_timeout of ".+" is 2.5 s: longer statements fail/);
  expect(connections).toMatch(/^PostgreSQL lets ".+" have \d+ connections, this process may open 100019/);
  expect(others).toEqual([]);
  expect(await tightLimits(hurried, 0)).toEqual([timeout]);
  await hurried.end();
});
