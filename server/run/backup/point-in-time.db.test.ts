import { readFileSync } from "node:fs";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { auditRows } from "@/testing/chain";
import { runCli, withCli } from "@/testing/cli";
import {
  type DebianPostgres,
  hasDebianPostgres,
  newFolder,
  runAsPostgres,
  startPrimary,
} from "@/testing/postgres/debian";
import { tempFolder } from "@/testing/temp-folder";

const chapter = readFileSync("docs/backup.md", "utf8").split("## To a point in time\n")[1]?.split("\n## ")[0] ?? "";
const [settings = "", baseBackup = "", restore = ""] = [...chapter.matchAll(/```(?:sh)?\n([\s\S]*?)```/g)].map(
  ([, block]) => block,
);
const canRun = hasDebianPostgres();
const title = "recovery to a point in time";

/** The guide's settings and commands on Debian's PostgreSQL, their folders in a place of this test's own. */
describe.skipIf(!canRun)(
  canRun ? title : `${title}: Debian's postgresql is not installed`,
  { timeout: 240_000 },
  () => {
    let folder: string;
    let home: string;
    let server: DebianPostgres;
    let orgId: string;
    let then: string;
    const here = (text: string) => text.replace(/(?<![\w.])\/(archive|base|restored)\b/g, `${folder}/$1`);
    const trailmark = (...args: string[]) =>
      runCli(args, {
        env: {
          TRAILMARK_DATA_DIR: home,
          TRAILMARK_OWNER_DATABASE_URL: server.url("trailmark_owner"),
          DATABASE_URL: server.url("trailmark_app"),
          AUDIT_ADMIN_DATABASE_URL: server.url("trailmark_audit_admin"),
        },
      });
    const query = async <T extends object>(text: string, database?: string): Promise<T[]> => {
      const sql = postgres(server.url("super", database), { max: 1, onnotice: () => {} });
      return sql.unsafe<T[]>(text).finally(() => sql.end({ timeout: 5 }));
    };
    /** More entries, and a checkpoint over all. */
    const write = async (count: number) => {
      const app = postgres(server.url("trailmark_app"), { max: 1, onnotice: () => {} });
      await appendAudit(app, auditRows(orgId, count)).finally(() => app.end());
      expect(await trailmark("nightly", "--org", orgId)).toMatchObject({ code: 0 });
    };
    /** The guide's recovery, up to a moment or to the end of the archive. */
    const recover = async (to: string | null) => {
      const line = /^recovery_target_time = '[^']+'\n/m;
      const commands = here(restore).replace(line, to === null ? "" : `recovery_target_time = '${to}'\n`);
      runAsPostgres(commands.replace("pg_ctl ", `pg_ctl --silent --log ${folder}/log `), {});
      // A start returns when readers are let in; the promotion comes a moment after.
      const isPrimary = async () => (await query<{ yes: boolean }>("SELECT NOT pg_is_in_recovery() AS yes"))[0]?.yes;
      await expect.poll(isPrimary, { timeout: 60_000 }).toBe(true);
    };

    withCli();
    beforeAll(async () => {
      expect(restore).toContain("recovery.signal");
      home = tempFolder();
      folder = newFolder();
      runAsPostgres(`mkdir ${folder}/archive`, {});
      server = await startPrimary(here(settings));
      await query("CREATE ROLE trailmark_owner LOGIN CREATEROLE PASSWORD 'secret'", "postgres");
      await query("CREATE DATABASE trailmark OWNER trailmark_owner", "postgres");
      expect(await trailmark("migrate")).toMatchObject({ code: 0 });
      const { port } = new URL(server.url("super"));
      // The folder that is restored is started directly: where it listens is in its own settings.
      await query(`ALTER SYSTEM SET port = ${port}`);
      await query(`ALTER SYSTEM SET listen_addresses = '127.0.0.1'`);
      await query(`ALTER SYSTEM SET unix_socket_directories = '${folder}'`);
      runAsPostgres(here(baseBackup), { PGHOST: "127.0.0.1", PGPORT: port, PGUSER: "super" });
      const [org] = await query<{ id: string }>(`
        WITH partner AS (INSERT INTO partners (name, slug) VALUES ('Example', 'example') RETURNING id)
        INSERT INTO organizations (partner_id, name, slug) SELECT id, 'Contoso', 'contoso' FROM partner RETURNING id`);
      orgId = org?.id ?? "";
    });
    afterAll(async () => {
      if (folder) runAsPostgres(`pg_ctl --pgdata ${folder}/restored --mode immediate stop || true`, {});
      server?.remove();
    });

    it("restores everything up to the end of the archive", async () => {
      await write(30);
      const [at] = await query<{ text: string }>("SELECT clock_timestamp()::text AS text");
      then = at?.text ?? "";
      await write(20);
      const [log] = await query<{ file: string }>("SELECT pg_walfile_name(pg_switch_wal()) AS file");
      const isArchived = async () =>
        (await query<{ yes: boolean }>(`SELECT last_archived_wal >= '${log?.file}' AS yes FROM pg_stat_archiver`))[0]
          ?.yes;
      await expect.poll(isArchived, { timeout: 60_000 }).toBe(true);
      server.stop();
      await recover(null);
      expect(await query("SELECT count(*)::int AS entries FROM audit_logs")).toEqual([{ entries: 50 }]);
    });

    it("restores a point in time and reports missing signed entries", async () => {
      runAsPostgres(`pg_ctl --pgdata ${folder}/restored --mode fast --wait stop; rm -r ${folder}/restored`, {});
      await recover(then);
      expect(await query("SELECT count(*)::int AS entries FROM audit_logs")).toEqual([{ entries: 30 }]);
      const doctor = await trailmark("doctor");
      expect(doctor.out).toMatch(/FAIL {2}checkpoints +the database contradicts what was signed/);
      expect(doctor.code).toBe(1);
      expect(await trailmark("continue-chain", "--org", orgId)).toMatchObject({ code: 3 });
    });
  },
);
