import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { type DebianPostgres, startPrimary } from "@/testing/postgres/debian";
import { endServer, freePort, type Server, startServer, stopServer } from "@/testing/server";
import { compareAt } from "./compare";
import { nothingYet, prepare, startLoad } from "./load";
import type { Line } from "./types";

/** A checkout of an earlier version, installed and built (`npm run build`); without it there is nothing to upgrade. */
export const FORMER_CHECKOUT = process.env.TRAILMARK_FORMER_CHECKOUT;
const WRITERS = 3;
const LOAD_MS = 5_000;

type Version = "former" | "this";

/** Two processes on one PostgreSQL, each started with either version. */
class Pair {
  readonly folder = mkdtempSync(join(tmpdir(), "trailmark-upgrade-"));
  readonly servers: Server[] = [];
  readonly #ports: number[] = [];
  readonly #env: Record<string, string>;

  constructor(database: DebianPostgres) {
    const key = join(this.folder, "signing-key.pem");
    execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", key], { stdio: "ignore" });
    this.#env = {
      TRAILMARK_OWNER_DATABASE_URL: database.url("trailmark_owner"),
      DATABASE_URL: database.url("trailmark_app"),
      AUDIT_ADMIN_DATABASE_URL: database.url("trailmark_audit_admin"),
      NEXTAUTH_SECRET: randomBytes(32).toString("hex"),
      NEXTAUTH_URL: "http://127.0.0.1:3000",
      TRAILMARK_SIGNING_KEY_FILE: key,
      LOG_LEVEL: "error",
    };
  }

  /** Ends the process at this place, if there is one, and starts the version there. */
  async start(at: 0 | 1, version: Version): Promise<void> {
    const running = this.servers[at];
    if (running) await stopServer(running);
    const dataDir = join(this.folder, `server-${at}`);
    mkdirSync(dataDir, { recursive: true });
    this.#ports[at] ??= await freePort();
    const checkout = version === "former" ? FORMER_CHECKOUT : undefined;
    this.servers[at] = await startServer({
      ...{ dataDir, port: this.#ports[at] ?? 0, env: this.#env, logFile: join(this.folder, `server-${at}.log`) },
      ...(checkout && { checkout }),
    });
  }

  base = (at: 0 | 1): string => this.servers[at]?.base ?? "";

  async end(): Promise<void> {
    await Promise.all(this.servers.map(endServer));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function newDatabase(): Promise<DebianPostgres> {
  const database = await startPrimary();
  const sql = postgres(database.url("super", "postgres"), { max: 1, onnotice: () => {} });
  await sql.unsafe("CREATE ROLE trailmark_owner LOGIN CREATEROLE PASSWORD 'secret'");
  await sql.unsafe("CREATE DATABASE trailmark OWNER trailmark_owner");
  await sql.end();
  return database;
}

/** What is in the database of functions: their texts, as PostgreSQL has them. */
async function functionsOf(database: DebianPostgres): Promise<string> {
  const sql = postgres(database.url("super"), { max: 1 });
  const [row] = await sql<{ digest: string }[]>`
    SELECT md5(string_agg(prosrc || proname, '' ORDER BY proname, oid)) AS digest FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace`;
  await sql.end();
  return row?.digest ?? "";
}

/**
 * U1: two processes of the former version are replaced one after the other under load, and in between the one that still
 * is of the former version is started again. Nothing acknowledged may be missing or doubled, no chain broken, and the
 * former version must leave the functions of this one alone.
 */
export const upgradeLine: Line = {
  id: "U1",
  title: "a rolling upgrade under load",
  async run({ rounds }) {
    let [tried, failed] = [0, 0];
    const details: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const database = await newDatabase();
      const pair = new Pair(database);
      try {
        await pair.start(0, "former");
        await pair.start(1, "former");
        const credentials = await prepare(pair.base(0));
        const acked = nothingYet();
        const stops = ([0, 1] as const).map((at) => startLoad(pair.base(at), { credentials, acked }, WRITERS));
        await sleep(LOAD_MS);
        const steps: string[] = [];
        for (const [at, version] of [
          [0, "this"],
          [1, "former"],
          [1, "this"],
        ] as const) {
          await pair.start(at, version);
          await sleep(LOAD_MS);
          steps.push(await functionsOf(database));
        }
        await Promise.all(stops.map((stop) => stop()));
        const bases = [pair.base(0), pair.base(1)];
        const found = await compareAt({ bases, url: database.url("super") }, credentials, acked);
        const changed = new Set(steps).size - 1;
        const faults = [...acked.answers].reduce((n, [status, count]) => n + (status === 500 ? count : 0), 0);
        tried += found.acknowledged;
        failed += found.missing + found.duplicates + found.unsealed + found.breaks + changed + faults;
        details.push(
          `${Object.entries({ ...found, "functions taken back": changed, "answers of 500": faults })
            .map(([what, n]) => `${what} ${n}`)
            .join(", ")}`,
        );
      } finally {
        await pair.end();
        database.remove();
      }
    }
    return { tried, failed: tried === 0 ? 1 : failed, detail: details.join("; ") };
  },
};
