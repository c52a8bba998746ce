import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DebianPostgres, startPrimary } from "@/testing/postgres/debian";
import { endServer, freePort, type Server, startServer, stopServer } from "@/testing/server";
import { tempFolder } from "@/testing/temp-folder";
import { type Credentials, prepare, verdictOn } from "./api";
import { judgeAt } from "./compare";
import { withSql } from "./folder";
import type { Found, Line } from "./line";
import { Load } from "./load";

/**
 * A built checkout (`npm run build`) or release folder of an earlier version; without it there is nothing to upgrade. A
 * release is upgraded to the one of `npm run package` here, in one folder.
 */
export const FORMER_CHECKOUT = process.env.TRAILMARK_FORMER_CHECKOUT;
const isRelease = FORMER_CHECKOUT !== undefined && !existsSync(join(FORMER_CHECKOUT, "package-lock.json"));
/** Created by `npm run package`. */
const RELEASES = join("dist", "release");
const WRITERS = 3;
const LOAD_MS = 5_000;

type Version = "former" | "this";

/** Two processes on one PostgreSQL, each of either version. */
class Pair {
  readonly folder = tempFolder();
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
    if (!isRelease || !FORMER_CHECKOUT) return;
    cpSync(FORMER_CHECKOUT, this.#release("former"), { recursive: true, verbatimSymlinks: true });
    const [release = ""] = readdirSync(RELEASES).filter((name) => !/\.(gz|sha256)$/.test(name));
    cpSync(join(RELEASES, release), this.#release("this"), { recursive: true, verbatimSymlinks: true });
  }

  #release = (version: Version): string => join(this.folder, `trailmark-1-${version}`);

  /** Replaces the process at this index by the version. */
  async start(at: 0 | 1, version: Version): Promise<void> {
    const running = this.servers[at];
    if (running) await stopServer(running);
    const dataDir = join(this.folder, `server-${at}`);
    mkdirSync(dataDir, { recursive: true });
    this.#ports[at] ??= await freePort();
    const checkout = isRelease ? this.#release(version) : version === "former" ? FORMER_CHECKOUT : undefined;
    this.servers[at] = await startServer({
      ...{ dataDir, port: this.#ports[at] ?? 0, env: this.#env, logFile: join(this.folder, `server-${at}.log`) },
      ...(checkout && { checkout }),
    });
  }

  base = (at: 0 | 1): string => this.servers[at]?.base ?? "";

  end = () => Promise.all(this.servers.map(endServer));
}

async function newDatabase(): Promise<DebianPostgres> {
  const database = await startPrimary();
  await withSql(database.url("super", "postgres"), async (sql) => {
    await sql`CREATE ROLE trailmark_owner LOGIN CREATEROLE PASSWORD 'secret'`;
    await sql`CREATE DATABASE trailmark OWNER trailmark_owner`;
  });
  return database;
}

/** Digest of the functions' texts in the database, as PostgreSQL has them. */
const functionsOf = (database: DebianPostgres): Promise<string> =>
  withSql(database.url("super"), async (sql) => {
    const [row] = await sql<{ digest: string }[]>`
      SELECT md5(string_agg(prosrc || proname, '' ORDER BY proname, oid)) AS digest FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace`;
    return row?.digest ?? "";
  });

/** Answers not explained by an upgrade: during a restart or migration connections fail or get 503. */
const faultsOf = ({ answers }: Load): number =>
  [...answers].reduce((n, [status, count]) => n + (status >= 300 && status !== 503 ? count : 0), 0);

/** Number of processes that do not call the whole chain intact. */
async function doubtsOf(bases: readonly string[], { orgId }: Credentials): Promise<number> {
  const verdicts = await Promise.all(bases.map((base) => verdictOn({ base }, orgId)));
  return verdicts.filter(({ status }) => status !== "intact").length;
}

/** Scripts and styles of a process's sign-in page. */
async function assetsOf(base: string): Promise<string[]> {
  const page = await (await fetch(`${base}/login`)).text();
  return [...new Set([...page.matchAll(/\/_next\/static\/[\w./~-]+\.(?:js|css)/g)].map(([path]) => path))];
}

/** Number of these assets missing on a process, for open pages. */
async function missingAt(base: string, assets: Iterable<string>): Promise<number> {
  const statuses = await Promise.all([...assets].map(async (path) => (await fetch(`${base}${path}`)).status));
  return statuses.filter((status) => status !== 200).length;
}

/** Starts of a process at an index with a version, in order: upgrade, restart of the former one, upgrade, roll-back. */
const STEPS = [
  [0, "this"],
  [1, "former"],
  [1, "this"],
  [0, "former"],
  [1, "former"],
] as const;

async function upgrade(found: Found, database: DebianPostgres, pair: Pair): Promise<void> {
  await pair.start(0, "former");
  await pair.start(1, "former");
  const credentials = await prepare({ base: pair.base(0) });
  const loadOf = (at: 0 | 1) => new Load({ base: pair.base(at) }, credentials, WRITERS);
  const loads = [loadOf(0), loadOf(1)] as const;
  const work = async () => {
    const before = loads.map(({ count }) => count);
    await sleep(LOAD_MS);
    const idle = loads.filter(({ count }, at) => count === before[at]).length;
    found.fault("a step without an event taken", idle);
  };
  for (const load of loads) load.start();
  await work();
  const functions = new Set<string>();
  const assets = new Set(await assetsOf(pair.base(0)));
  for (const [at, version] of STEPS) {
    await pair.start(at, version);
    await work();
    functions.add(await functionsOf(database));
    if (!isRelease) continue;
    for (const path of await assetsOf(pair.base(at))) assets.add(path);
    for (const place of [0, 1] as const)
      found.fault("an asset of open pages not served", await missingAt(pair.base(place), assets));
  }
  await Promise.all(loads.map((load) => load.stop()));
  const bases = [pair.base(0), pair.base(1)];
  found.tried += await judgeAt(found, { bases, url: database.url("super") }, loads);
  found.fault("functions taken back", functions.size - 1);
  for (const load of loads) found.fault("an error other than 503", faultsOf(load));
  found.fault("a verdict other than intact", await doubtsOf(bases, credentials));
}

/**
 * U1: replaces two processes of the former version one after the other under load, restarting the remaining former one
 * in between. Nothing acknowledged may be missing or duplicated, every process must accept events in each step and
 * finally call the chain intact, none may answer with an error but 503, and the former version must not touch this
 * one's functions. Then both are rolled back. With releases, each process serves the assets of both.
 */
export const upgrades: Line = {
  id: "U1",
  title: "a rolling upgrade under load",
  ...{ quick: 1, full: 1 },
  async run({ rounds }, found) {
    for (let round = 0; round < rounds; round++) {
      const database = await newDatabase();
      const pair = new Pair(database);
      await upgrade(found, database, pair).finally(async () => {
        await pair.end();
        database.remove();
      });
    }
  },
};
