import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { verifyChain } from "@/server/evidence/chain/verify";
import { systemCtx } from "@/server/ground/context";
import { auditRows } from "@/testing/chain";
import { freePort } from "@/testing/server";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { migrate } from "./migrate";

/** A real PostgreSQL with its client programs, as Debian installs it; without one there is no pg_dump to test. */
const HOME = "/usr/lib/postgresql";
const version = existsSync(HOME) ? readdirSync(HOME).sort((a, b) => Number(b) - Number(a))[0] : undefined;
const bin = (name: string) => join(HOME, version ?? "", "bin", name);
const available =
  version !== undefined && ["initdb", "pg_ctl", "pg_dump", "pg_restore"].every((n) => existsSync(bin(n)));
const asRoot = process.getuid?.() === 0;
const RUNNER = 65534;

const backupRole = readFileSync("deploy/backup-role.sql", "utf8");

describe.skipIf(!available)("logical backup as in the guide", () => {
  let folder: string;
  let port: number;
  const orgIds = ["6f1d2b5e-0000-4000-8000-000000000001", "6f1d2b5e-0000-4000-8000-000000000002"];
  const url = (user: string, database = "trailmark") => `postgres://${user}:secret@127.0.0.1:${port}/${database}`;
  const input = () => ({
    ownerUrl: url("trailmark_owner"),
    appUrl: url("trailmark_app"),
    adminUrl: url("trailmark_audit_admin"),
  });

  const run = (name: string, ...args: string[]) =>
    execFileSync(bin(name), args, { stdio: "pipe", cwd: "/", ...(asRoot ? { uid: RUNNER, gid: RUNNER } : {}) });
  const attempt = (name: string, ...args: string[]) => spawnSync(bin(name), args, { encoding: "utf8" });
  async function query<T extends object>(address: string, statement: string): Promise<T[]> {
    const sql = postgres(address, { max: 1, onnotice: () => {} });
    try {
      return await sql.unsafe<T[]>(statement);
    } finally {
      await sql.end({ timeout: 5 });
    }
  }
  const dump = (...more: string[]) =>
    attempt("pg_dump", "--format", "custom", "--file", join(folder, "dump"), ...more, url("trailmark_backup"));
  /** How many audit rows the dump holds. */
  const rowsDumped = () =>
    attempt("pg_restore", "--data-only", "--table", "audit_logs", "--file", "-", join(folder, "dump"))
      .stdout.split("\n")
      .filter((line) => /^[0-9a-f]{8}-.*\tdevice\.update\t/.test(line)).length;

  beforeAll(async () => {
    port = await freePort();
    folder = tempFolder();
    if (asRoot) chownSync(folder, RUNNER, RUNNER);
    run(
      "initdb",
      "-D",
      join(folder, "data"),
      "-U",
      "super",
      "--auth",
      "trust",
      "--encoding",
      "UTF8",
      "--locale",
      "C",
      "-N",
    );
    const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`;
    run("pg_ctl", "-D", join(folder, "data"), "-w", "-s", "-l", join(folder, "log"), "-o", options, "start");
    await query(url("super", "postgres"), "CREATE ROLE trailmark_owner LOGIN CREATEROLE PASSWORD 'secret'");
    await query(url("super", "postgres"), "CREATE DATABASE trailmark OWNER trailmark_owner");
    await migrate(input());
    const app = postgres(url("trailmark_app"), { max: 1, onnotice: () => {} });
    for (const orgId of orgIds) await appendAudit(app, auditRows(orgId, 25));
    await app.end();
  });
  afterAll(() => {
    if (folder) run("pg_ctl", "-D", join(folder, "data"), "-m", "immediate", "-s", "stop");
  });

  it("is rejected or empty for a role without policies", async () => {
    await query(
      url("trailmark_owner"),
      `CREATE ROLE trailmark_backup LOGIN PASSWORD 'secret';
       GRANT USAGE ON SCHEMA public, drizzle, graphile_worker TO trailmark_backup;
       GRANT SELECT ON ALL TABLES IN SCHEMA public TO trailmark_backup;
       GRANT SELECT ON ALL TABLES IN SCHEMA drizzle TO trailmark_backup;
       GRANT SELECT ON ALL TABLES IN SCHEMA graphile_worker TO trailmark_backup;
       GRANT SELECT ON ALL SEQUENCES IN SCHEMA drizzle, graphile_worker TO trailmark_backup`,
    );
    const plain = dump();
    expect(plain.status).not.toBe(0);
    expect(plain.stderr).toContain("row-level security");
    expect(dump("--enable-row-security").status).toBe(0);
    expect(rowsDumped()).toBe(0);
  });

  it("contains every row and passes the chain guards for the guide's role", async () => {
    await query(url("trailmark_owner"), backupRole);
    await query(url("trailmark_owner"), backupRole);
    expect(dump("--enable-row-security")).toMatchObject({ status: 0, stderr: "" });
    expect(rowsDumped()).toBe(50);
    const [health] = await query<{ faults: string[] }>(url("trailmark_app"), "SELECT audit_chain_health() AS faults");
    expect(health?.faults).toEqual([]);
    await expect(query(url("trailmark_backup"), "DELETE FROM audit_logs")).rejects.toMatchObject({ code: "42501" });
  });

  it("restores an intact, guarded chain that can continue", async () => {
    await query(url("super", "postgres"), "CREATE DATABASE restored OWNER trailmark_owner");
    const restored = attempt(
      "pg_restore",
      "--exit-on-error",
      "--dbname",
      url("super", "restored"),
      join(folder, "dump"),
    );
    expect(restored).toMatchObject({ status: 0, stderr: "" });
    const at = (user: string) => url(user, "restored");
    await migrate({ appUrl: at("trailmark_app") });
    const app = postgres(at("trailmark_app"), { max: 1, onnotice: () => {} });
    expect((await app`SELECT audit_chain_health() AS faults`)[0]?.faults).toEqual([]);
    await appendAudit(app, auditRows(orgIds[0] as string, 5));
    await app.end();
    withSettings({ DATABASE_URL: at("trailmark_app"), TRAILMARK_DATA_DIR: folder });
    for (const [orgId, rows] of [
      [orgIds[0], 30],
      [orgIds[1], 25],
    ] as const)
      expect(await verifyChain(systemCtx(), { orgId: orgId as string })).toMatchObject({
        status: "intact",
        rowsChecked: rows,
        firstSeq: 1,
        lastSeq: rows,
      });
    for (const who of ["trailmark_owner", "super"])
      await expect(query(at(who), "UPDATE audit_logs SET action = 'x'")).rejects.toMatchObject({ code: "42501" });
  });
});
