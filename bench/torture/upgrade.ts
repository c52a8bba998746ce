import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { type DebianPostgres, startPrimary } from "@/testing/postgres/debian";
import { endServer, freePort, type Server, startServer, stopServer } from "@/testing/server";
import { type Credentials, prepare, verdictOn } from "./api";
import { compareAt } from "./compare";
import { type Acknowledged, countOf, nothingYet, startLoad } from "./load";
import { type Line, listed } from "./types";

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

/** Digest of the functions' texts in the database, as PostgreSQL has them. */
async function functionsOf(database: DebianPostgres): Promise<string> {
  const sql = postgres(database.url("super"), { max: 1 });
  const [row] = await sql<{ digest: string }[]>`
    SELECT md5(string_agg(prosrc || proname, '' ORDER BY proname, oid)) AS digest FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace`;
  await sql.end();
  return row?.digest ?? "";
}

/** Answers not explained by an upgrade: during a restart or migration connections fail or get 503. */
const faultsOf = ({ answers }: Acknowledged): number =>
  [...answers].reduce((n, [status, count]) => n + (status >= 300 && status !== 503 ? count : 0), 0);

/** Merged acknowledgements of both. */
const mergeAcknowledged = (one: Acknowledged, other: Acknowledged): Acknowledged => ({
  ...nothingYet(),
  events: new Set([...one.events, ...other.events]),
  deviceEvents: new Set([...one.deviceEvents, ...other.deviceEvents]),
  logs: new Set([...one.logs, ...other.logs]),
});

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

/**
 * U1: replaces two processes of the former version one after the other under load, restarting the remaining former one
 * in between. Nothing acknowledged may be missing or duplicated, every process must accept events in each step and
 * finally call the chain intact, none may answer with an error but 503, and the former version must not touch this
 * one's functions. Then both are rolled back. With releases, each process serves the assets of both.
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
        const credentials = await prepare({ base: pair.base(0) });
        const receivedBy = [nothingYet(), nothingYet()] as const;
        const stops = ([0, 1] as const).map((at) =>
          startLoad({ base: pair.base(at) }, { credentials, acked: receivedBy[at] }, WRITERS),
        );
        let idle = 0;
        const load = async () => {
          const before = receivedBy.map(countOf);
          await sleep(LOAD_MS);
          idle += receivedBy.filter((acked, at) => countOf(acked) === before[at]).length;
        };
        await load();
        const steps: string[] = [];
        const assets = new Set(await assetsOf(pair.base(0)));
        let missing = 0;
        for (const [at, version] of [
          [0, "this"],
          [1, "former"],
          [1, "this"],
          [0, "former"],
          [1, "former"],
        ] as const) {
          await pair.start(at, version);
          await load();
          steps.push(await functionsOf(database));
          if (!isRelease) continue;
          for (const path of await assetsOf(pair.base(at))) assets.add(path);
          for (const place of [0, 1] as const) missing += await missingAt(pair.base(place), assets);
        }
        await Promise.all(stops.map((stop) => stop()));
        const bases = [pair.base(0), pair.base(1)];
        const found = await compareAt(
          { bases, url: database.url("super") },
          credentials,
          mergeAcknowledged(...receivedBy),
        );
        const { acknowledged, ...wrong } = {
          ...found,
          "functions taken back": new Set(steps).size - 1,
          "errors other than 503": receivedBy.reduce((sum, acked) => sum + faultsOf(acked), 0),
          "steps without an event taken": idle,
          "assets of open pages not served": missing,
          "verdicts other than intact": await doubtsOf(bases, credentials),
        };
        tried += acknowledged;
        failed += Object.values(wrong).reduce((sum, n) => sum + n, 0);
        details.push(listed({ acknowledged, ...wrong }));
      } finally {
        await pair.end();
        database.remove();
      }
    }
    return { tried, failed: tried === 0 ? 1 : failed, detail: details.join("; ") };
  },
};
