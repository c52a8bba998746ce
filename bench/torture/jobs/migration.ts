import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { withOwner, withServer, withSql } from "@/bench/torture/folder";
import type { Line } from "@/bench/torture/line";
import { startProduct } from "@/bench/torture/product";
import { clusterOf, type Server } from "@/testing/server";
import { tempFolder } from "@/testing/temp-folder";
import { KILLS, killProgram, ONE_KILL, untilLeft } from "./organization";

/** A separate database on the server's cluster, with its roles' addresses. */
class Target {
  readonly env: Record<string, string>;
  readonly dataDir = tempFolder();
  readonly #url: (role: string, password: string) => string;

  constructor(
    readonly server: Server,
    readonly name: string,
  ) {
    const { port } = clusterOf(server.dataDir);
    const kept: { app: string; admin: string } = JSON.parse(
      readFileSync(join(server.dataDir, "postgres.json"), "utf8"),
    );
    this.#url = (role, password) => `postgres://${role}:${password}@127.0.0.1:${port}/${name}`;
    this.env = {
      TRAILMARK_OWNER_DATABASE_URL: this.#url("trailmark_owner", clusterOf(server.dataDir).owner),
      DATABASE_URL: this.#url("trailmark_app", kept.app),
      AUDIT_ADMIN_DATABASE_URL: this.#url("trailmark_audit_admin", kept.admin),
    };
  }

  create = () => withOwner(this.server, (sql) => sql`CREATE DATABASE ${sql(this.name)}`);

  asOwner = <T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> =>
    withSql(this.env.TRAILMARK_OWNER_DATABASE_URL ?? "", work);

  /** Numbers of tables, product functions and recorded migrations. */
  contents = (): Promise<string> =>
    this.asOwner(async (sql) => {
      const [has] = await sql<{ tables: number; functions: number; records: boolean }[]>`SELECT
        (SELECT count(*)::int FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')) AS tables,
        (SELECT count(*)::int FROM pg_proc WHERE pronamespace = 'public'::regnamespace) AS functions,
        to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS records`;
      if (!has) throw new Error("no counts");
      const [applied] = has.records
        ? await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM drizzle.__drizzle_migrations`
        : [{ n: 0 }];
      return `${has.tables} tables, ${has.functions} functions, ${applied?.n} migrations`;
    });

  end = () => withOwner(this.server, (sql) => sql`DROP DATABASE ${sql(this.name)} WITH (FORCE)`);
}

const NOTHING = "0 tables, 0 functions, 0 migrations";
const migrate = ({ dataDir, env }: Target) => startProduct(dataDir, ["migrate"], env);

/** Runs once without a kill. @returns the resulting contents and duration */
async function whole(target: Target): Promise<{ all: string; ms: number }> {
  const started = performance.now();
  const { code, err } = await migrate(target).ended;
  if (code !== 0) throw new Error(`migrate ended with ${code}: ${err}`);
  await target.asOwner((sql) => sql`SELECT audit_self_test()`);
  return { all: await target.contents(), ms: performance.now() - started };
}

/** K3, migration: an empty database stays empty or is complete; a retry completes it. */
export const migrationKills: Line = {
  id: "K3-migration",
  title: "kill -9 of a migration or PostgreSQL",
  ...KILLS,
  control: { title: "a partly committed migration must be detected", ...ONE_KILL },
  run: ({ rounds, random, progress, isBroken }, found) =>
    withServer(async (server) => {
      const withTarget = async <T>(work: (target: Target) => Promise<T>): Promise<T> => {
        const target = new Target(server, `torture_${process.pid}_${isBroken ? "c" : "k"}${found.tried}`);
        await target.create();
        return work(target).finally(() => target.end());
      };
      const { all, ms } = await withTarget(whole);
      let undone = 0;
      for (; found.tried < rounds; found.tried++) {
        progress(`kill ${found.tried + 1}`);
        await withTarget(async (target) => {
          const running = migrate(target);
          await sleep(ms * (0.2 + 0.8 * random()));
          await killProgram(server, running, found.tried);
          await untilLeft(server, "datname", target.name);
          if (isBroken) await target.asOwner((sql) => sql`CREATE TABLE a_part_of_it (id int)`);
          const left = await target.contents();
          if (left === NOTHING) undone++;
          else if (left !== all) found.fault(`kill ${found.tried + 1} left ${left} of ${all}`);
          if (!isBroken && (await whole(target)).all !== all)
            found.fault(`begun again it left ${await target.contents()}`);
        });
      }
      found.note(`${rounds} kills, ${undone} before the end of it, which leaves ${all}`);
    }),
};
