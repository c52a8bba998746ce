import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tempFolder } from "@/testing/temp-folder";
import { type Embedded, startEmbedded } from "./embedded/embedded";
import { migrate } from "./migrate";
import { EXPECTED } from "./roles";
import { countMigrations } from "./version";

const folder = tempFolder();
let embedded: Embedded;

async function query<T extends object>(url: string, statement: string): Promise<T[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe<T[]>(statement);
  } finally {
    await sql.end();
  }
}

/** The same server, another user and database. */
function urlFor(user: string, password: string, database: string): string {
  const url = new URL(embedded.ownerUrl);
  Object.assign(url, { username: user, password: encodeURIComponent(password), pathname: `/${database}` });
  return url.href;
}

beforeAll(async () => {
  chmodSync(folder, 0o711);
  embedded = await startEmbedded(join(folder, "data"), { durable: false });
  await query(embedded.ownerUrl, "CREATE ROLE plain_owner LOGIN CREATEROLE PASSWORD 'owner-password'");
  await query(embedded.ownerUrl, "CREATE DATABASE plain OWNER plain_owner");
});
afterAll(async () => {
  await embedded.stop();
  for (const path of [embedded.cluster, folder]) rmSync(path, { recursive: true, force: true });
});

describe("migrate", () => {
  // First, because the roles belong to the whole cluster: here the plain owner makes them all.
  it("works for an owner who is not a superuser, with custom login names", async () => {
    const ownerUrl = urlFor("plain_owner", "owner-password", "plain");
    const appUrl = urlFor("my app", "it's 100% secret", "plain");
    const adminUrl = urlFor("my admin", "admin-password", "plain");
    await migrate({ ownerUrl, appUrl, adminUrl });
    await migrate({ ownerUrl, appUrl, adminUrl });
    const [owner] = await query(ownerUrl, "SELECT pg_has_role('trailmark_sealer', 'USAGE') AS seals");
    expect(owner).toEqual({ seals: false });
    const [app] = await query<{ super: boolean; bypass: boolean; member: boolean; timeout: string }>(
      appUrl,
      `SELECT rolsuper AS super, rolbypassrls AS bypass, pg_has_role('trailmark_app', 'USAGE') AS member,
        current_setting('statement_timeout') AS timeout FROM pg_roles WHERE rolname = current_user`,
    );
    expect(app).toEqual({ super: false, bypass: false, member: true, timeout: "30s" });
    const [admin] = await query<{ member: boolean }>(
      adminUrl,
      "SELECT pg_has_role('trailmark_audit_admin', 'USAGE') AS member",
    );
    expect(admin).toEqual({ member: true });
  });

  it("lets the group roles log in when the URLs name them", async () => {
    await migrate(embedded);
    const [row] = await query<{ name: string }>(embedded.appUrl, "SELECT current_user AS name");
    expect(row).toEqual({ name: "trailmark_app" });
  });

  it("applies a changed password", async () => {
    const changed = new URL(embedded.appUrl);
    changed.password = "another-password";
    await migrate({ ...embedded, appUrl: changed.href });
    await expect(query(embedded.appUrl, "SELECT 1")).rejects.toMatchObject({ code: "28P01" });
    await migrate(embedded);
    await expect(query(embedded.appUrl, "SELECT 1")).resolves.toHaveLength(1);
  });

  it("makes a second process wait for the first", async () => {
    await query(embedded.ownerUrl, "CREATE DATABASE raced");
    const raced = (url: string) => Object.assign(new URL(url), { pathname: "/raced" }).href;
    const input = {
      ownerUrl: raced(embedded.ownerUrl),
      appUrl: raced(embedded.appUrl),
      adminUrl: raced(embedded.adminUrl),
    };
    await Promise.all([migrate(input), migrate(input), migrate(input)]);
    const [row] = await query<{ n: number }>(
      input.appUrl,
      "SELECT count(*)::int AS n FROM drizzle.__drizzle_migrations",
    );
    expect(row).toEqual({ n: countMigrations() });
  });

  it("without an owner URL only checks and reports missing migrations", async () => {
    await expect(migrate({ appUrl: embedded.appUrl })).resolves.toBeUndefined();
    await query(embedded.ownerUrl, "CREATE DATABASE bare");
    const bare = Object.assign(new URL(embedded.appUrl), { pathname: "/bare" }).href;
    await expect(migrate({ appUrl: bare })).rejects.toThrow(
      `lacks ${countMigrations()} of ${countMigrations()} migrations`,
    );
  });

  it("rejects a superuser as the application role", async () => {
    await expect(migrate({ ...embedded, appUrl: embedded.ownerUrl })).rejects.toThrow(/superuser/);
  });

  it("ignores session settings made for other programs", async () => {
    const at = (url: string) => Object.assign(new URL(url), { pathname: "/odd" }).href;
    await query(embedded.ownerUrl, "CREATE DATABASE odd");
    await query(at(embedded.ownerUrl), "CREATE SCHEMA elsewhere");
    await query(at(embedded.ownerUrl), "CREATE EXTENSION pg_trgm SCHEMA elsewhere");
    for (const odd of [
      "DateStyle = 'German, DMY'",
      "TimeZone = 'Asia/Kathmandu'",
      "bytea_output = 'escape'",
      "default_transaction_isolation = 'serializable'",
      "row_security = off",
      "search_path = elsewhere",
    ])
      await query(embedded.ownerUrl, `ALTER DATABASE odd SET ${odd}`);
    const urls = { ownerUrl: at(embedded.ownerUrl), appUrl: at(embedded.appUrl), adminUrl: at(embedded.adminUrl) };
    await migrate(urls);
    for (const url of [urls.appUrl, urls.adminUrl]) {
      const [session] = await query<Record<string, string>>(
        url,
        `SELECT ${Object.keys(EXPECTED).map((name) => `current_setting('${name}') AS "${name}"`)}`,
      );
      expect(session).toEqual(EXPECTED);
    }
    const [tables] = await query<{ n: string }>(
      urls.appUrl,
      "SELECT count(*) AS n FROM pg_tables WHERE schemaname = 'elsewhere'",
    );
    expect(tables?.n).toBe("0");
  });

  it("never shows a password in its messages", async () => {
    const wrong = Object.assign(new URL(embedded.ownerUrl), { password: "very-wrong" }).href;
    const error = await migrate({ ...embedded, ownerUrl: wrong }).catch((e: Error) => e);
    expect(String(error)).toContain("trailmark_owner");
    expect(String(error)).not.toContain("very-wrong");
  });
});
