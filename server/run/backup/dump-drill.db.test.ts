import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { auditRows } from "@/testing/chain";
import { runCli, withCli } from "@/testing/cli";
import { type DebianPostgres, hasDebianPostgres, startPrimary } from "@/testing/postgres/debian";
import { tempFolder } from "@/testing/temp-folder";

const PASSWORD = "correct horse battery staple";
const hasTools = ["pg_dump", "pg_restore"].every((tool) => spawnSync(tool, ["--version"]).status === 0);

/**
 * The drill on a database of one's own: pg_dump and pg_restore as an owner that is no superuser, against the PostgreSQL
 * that Debian installs. Where that or the two programs are missing, there is nothing to run it on.
 */
const canRun = hasDebianPostgres() && hasTools;
const title = "a restore drill with pg_dump";

describe.skipIf(!canRun)(
  canRun ? title : `${title}: Debian's postgresql is not installed`,
  { timeout: 240_000 },
  () => {
    let server: DebianPostgres;
    let home: string;
    let backups: string;
    let orgId: string;
    let file: string;
    const settings = () => ({
      TRAILMARK_DATA_DIR: home,
      TRAILMARK_OWNER_DATABASE_URL: server.url("trailmark_owner"),
      DATABASE_URL: server.url("trailmark_app"),
      AUDIT_ADMIN_DATABASE_URL: server.url("trailmark_audit_admin"),
    });
    const trailmark = (...args: string[]) => runCli(args, { env: settings() });
    const query = async <T extends object>(user: string, text: string, database?: string): Promise<T[]> => {
      const sql = postgres(server.url(user, database), { max: 1, onnotice: () => {} });
      try {
        return await sql.unsafe<T[]>(text);
      } finally {
        await sql.end({ timeout: 5 });
      }
    };
    const write = async (count: number) => {
      const app = postgres(server.url("trailmark_app"), { max: 1, onnotice: () => {} });
      await appendAudit(app, auditRows(orgId, count));
      await app.end();
    };
    const createDatabase = () => query("super", "CREATE DATABASE trailmark OWNER trailmark_owner", "postgres");

    withCli();
    beforeAll(async () => {
      home = tempFolder();
      backups = tempFolder();
      server = await startPrimary();
      await query("super", "CREATE ROLE trailmark_owner LOGIN CREATEROLE PASSWORD 'secret'", "postgres");
      await createDatabase();
      const created = await runCli(["create-admin", "--email", "first@partner.example", "--password-stdin"], {
        env: settings(),
        input: PASSWORD,
      });
      expect(created).toMatchObject({ code: 0, err: "" });
      const [org] = await query<{ id: string }>(
        "super",
        "INSERT INTO organizations (partner_id, name, slug) SELECT id, 'Contoso', 'contoso' FROM partners RETURNING id",
      );
      orgId = org?.id ?? "";
      await write(30);
      expect(await trailmark("nightly", "--org", orgId)).toMatchObject({ code: 0 });
    });
    afterAll(async () => {
      server?.remove();
    });

    it("dumps every row despite row level security into one verified file", async () => {
      const created = await trailmark("backup", "--to", `${backups}/`);
      expect(created).toMatchObject({ code: 0, err: "" });
      file = /^Backup +(.+)$/m.exec(created.out)?.[1] ?? "";
      expect(readdirSync(backups)).toHaveLength(1);
      expect(await trailmark("backup", "--verify", file)).toMatchObject({ code: 0, err: "" });
    });

    it("refuses a non-empty database and leaves it unchanged", async () => {
      await write(20);
      expect(await trailmark("nightly", "--org", orgId)).toMatchObject({ code: 0 });
      const refused = await trailmark("restore", file);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain("is not empty");
      expect(await trailmark("doctor")).toMatchObject({ code: 0 });
    });

    it("reports which entries are gone after losing the database", async () => {
      await query("super", "DROP DATABASE trailmark", "postgres");
      await createDatabase();
      const restored = await trailmark("restore", file);
      expect(restored.err).toBe("");
      expect(restored.code).toBe(1);
      expect(restored.out).toMatch(new RegExp(`LOST +${orgId} +the chain ends at sequence 30`));
      expect(restored.out).toContain("50 entries");
    });

    it("restores rights, policies and triggers with the rows", async () => {
      const doctor = await trailmark("doctor", "--json");
      const findings = JSON.parse(doctor.out) as { about: string; level: string }[];
      const failed = findings.filter(({ level }) => level === "fail").map(({ about }) => about);
      expect(failed.sort()).toEqual(["alarms", "checkpoints"]);
      for (const user of ["trailmark_app", "trailmark_audit_admin", "trailmark_owner"])
        await expect(query(user, "UPDATE audit_logs SET action = 'x'")).rejects.toMatchObject({ code: "42501" });
      expect(await query("trailmark_app", "SELECT id FROM audit_logs")).toEqual([]);
      await expect(query("trailmark_backup", "SELECT 1")).rejects.toBeDefined();
    });

    it("continues after the lost entries and verifies", async () => {
      const done = await trailmark("continue-chain", "--org", orgId);
      expect(done).toMatchObject({ code: 3, err: "" });
      expect(done.out).toContain("of the entries 31 to 50 that had been signed, some are not in it");
      await write(40);
      for (let night = 0; night < 2; night++)
        expect((await trailmark("nightly", "--org", orgId)).code, "broken").not.toBe(1);
      expect(await trailmark("doctor")).toMatchObject({ code: 0 });
    });

    it("replaces a database with --force and lists what it drops first", async () => {
      const forced = await trailmark("restore", file, "--force");
      expect(forced.out).toMatch(/Replaces +\d+ tables of the database/);
      expect(forced.err).toBe("");
      const [row] = await query<{ n: number }>(
        "super",
        `SELECT count(*)::int AS n FROM audit_logs WHERE org_id = '${orgId}'`,
      );
      expect(row?.n).toBe(30);
    });
  },
);
