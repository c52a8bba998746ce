import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { withOwner, withServer } from "@/bench/torture/folder";
import { startProduct } from "@/bench/torture/product";
import { controlled, type Found, fought, type LineInput } from "@/bench/torture/types";
import { until } from "@/bench/until";
import { clusterOf, killPostgres, type Server } from "@/testing/server";
import { untilReady } from "./organization";

/** A separate database on the server's cluster, with its roles' addresses. */
class Target {
  readonly env: Record<string, string>;
  readonly dataDir = mkdtempSync(join(tmpdir(), "trailmark-torture-migration-"));
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

  /** Waits until the killed process has no session. */
  untilLeft = () =>
    until("the sessions of the killed process", () =>
      withOwner(this.server, async (sql) => {
        const [left] = await sql`SELECT FROM pg_stat_activity WHERE datname = ${this.name}`;
        return left === undefined;
      }),
    );

  async asOwner<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    const sql = postgres(this.env.TRAILMARK_OWNER_DATABASE_URL ?? "", { max: 1, onnotice: () => {} });
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 5 });
    }
  }

  /** Numbers of tables, product functions and recorded migrations. */
  async contents(): Promise<string> {
    return this.asOwner(async (sql) => {
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
  }

  async end(): Promise<void> {
    await withOwner(this.server, (sql) => sql`DROP DATABASE ${sql(this.name)} WITH (FORCE)`);
    rmSync(this.dataDir, { recursive: true, force: true });
  }
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
const fight = ({ rounds, random, progress }: LineInput, damage: boolean): Promise<Found> =>
  withServer(async (server) => {
    const targets: Target[] = [];
    const create = async () => {
      const target = new Target(server, `torture_${process.pid}_${damage ? "c" : "k"}${targets.length}`);
      targets.push(target);
      await target.create();
      return target;
    };
    try {
      const { all, ms } = await whole(await create());
      const faults: string[] = [];
      let undone = 0;
      for (let round = 0; round < rounds; round++) {
        progress(`kill ${round + 1}`);
        const target = await create();
        const { child, ended } = migrate(target);
        await sleep(ms * (0.2 + 0.8 * random()));
        if (round % 3 === 2) await killPostgres(server.dataDir);
        else child.kill("SIGKILL");
        await ended;
        await untilReady(server);
        await target.untilLeft();
        if (damage) await target.asOwner((sql) => sql`CREATE TABLE a_part_of_it (id int)`);
        const left = await target.contents();
        if (left === NOTHING) undone++;
        else if (left !== all) faults.push(`kill ${round + 1} left ${left} of ${all}`);
        if (!damage && (await whole(target)).all !== all) faults.push(`begun again it left ${await target.contents()}`);
      }
      return fought(rounds, faults, `${undone} before the end of it, which leaves ${all}`);
    } finally {
      for (const target of targets) await target.end();
    }
  });

export const migrationLines = controlled({
  id: "K3-migration",
  title: "kill -9 of a migration or PostgreSQL",
  control: "a partly committed migration must be detected",
  controlRounds: 1,
  run: fight,
});
