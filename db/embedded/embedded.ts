import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { codeOf, ExpectedError, messageOf } from "@/db/thrown";
import { findBinaries } from "./binaries";
import { loadSecrets, prepareCluster, prepareHome, type Secrets } from "./cluster";
import { createFolder } from "./create-folder";
import { isAlive, readPostmaster, stopPostmaster } from "./postmaster";
import { runner } from "./runner";
import { ensureRunning, type Launch, type Server } from "./server";

/** Leases of this process, by file name. */
const mine = new Set<string>();

/**
 * Registers our use of the cluster in a file named after our process: the last user stops the server. `release` removes
 * the file and returns the number of remaining users; files of dead processes are removed too.
 */
function acquireLease(dataDir: string): { release(): number } {
  const folder = join(dataDir, "postgres.users");
  const name = `${process.pid}-${mine.size + 1}`;
  createFolder(folder, 0o700);
  mine.add(name);
  writeFileSync(join(folder, name), "", { mode: 0o600 });

  // An earlier process may have had our id before a restart of the machine or container: a file that we did not write
  // is stale.
  const isStale = (lease: string) => {
    const pid = Number.parseInt(lease, 10);
    return pid === process.pid ? !mine.has(lease) : !isAlive(pid);
  };
  return {
    release: () => {
      rmSync(join(folder, name), { force: true });
      const others = readdirSync(folder).filter((lease) => lease !== name);
      for (const lease of others.filter(isStale)) rmSync(join(folder, lease), { force: true });
      return others.filter((lease) => !isStale(lease)).length;
    },
  };
}

export type EmbeddedOptions = {
  /** Settings in addition to the cluster's own, as `-c name=value`. */
  settings?: Record<string, string>;
  /** false disables fsync for speed, only for temporary clusters of tests. Default true. */
  durable?: boolean;
  log?: (line: string) => void;
};

export type Embedded = {
  /** The cluster's superuser, for migrations only. */
  ownerUrl: string;
  /** The application role, created by the migration. */
  appUrl: string;
  /** The retention worker's role, created by the migration. */
  adminUrl: string;
  /** Whether the server was already running. */
  attached: boolean;
  cluster: string;
  /** Process id of PostgreSQL's main process, now. */
  pid(): number;
  /** Fast shutdown, unless another Trailmark process still uses the server. */
  stop(): Promise<void>;
};

/** Thrown with a message for the operator; `expected` suppresses the stack. */
class EmbeddedError extends ExpectedError {}

const WATCH_MS = 250;
const SETTLE_MS = 30_000;
const LEAVING = new Set(["57P01", "57P02", "57P03", "ECONNREFUSED", "ECONNRESET", "CONNECTION_CLOSED"]);
const NOT_DURABLE = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
};

/** Creates the database at the first start; after a kill between initdb and here, the next start does it. */
async function createDatabase(url: string): Promise<void> {
  const sql = postgres(`${url}/postgres`, {
    max: 1,
    connect_timeout: 30,
    onnotice: () => {},
  });
  try {
    const found = await sql`SELECT 1 FROM pg_database WHERE datname = 'trailmark'`;
    if (found.length === 0) await sql`CREATE DATABASE trailmark`;
  } catch (error) {
    if (!["42P04", "23505"].includes(codeOf(error))) throw error; // Else another process just created it.
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** A running server may be about to stop with the process that started it; then we start our own. */
async function runWithDatabase(launch: Launch, password: string): Promise<Server> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const server = await ensureRunning(launch);
    try {
      await createDatabase(address("trailmark_owner", password, server.port));
      return server;
    } catch (error) {
      if (!LEAVING.has(codeOf(error)) || Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

const address = (user: string, password: string, port: number): string =>
  `postgres://${user}:${password}@127.0.0.1:${port}`;

function urls(secrets: Secrets, port: number) {
  return {
    ownerUrl: `${address("trailmark_owner", secrets.owner, port)}/trailmark`,
    appUrl: `${address("trailmark_app", secrets.app, port)}/trailmark`,
    adminUrl: `${address("trailmark_audit_admin", secrets.admin, port)}/trailmark`,
  };
}

/**
 * Runs PostgreSQL from the npm package on a cluster in the data folder: creates the cluster if missing, attaches to a
 * server that outlived its parent, and restarts it if it dies. Listens on loopback only, on a port stored in the data
 * folder.
 * @throws EmbeddedError that ends with the advice to set DATABASE_URL when it cannot run here.
 */
export async function startEmbedded(dataDir: string, options: EmbeddedOptions = {}): Promise<Embedded> {
  try {
    return await start(resolve(dataDir), options);
  } catch (error) {
    throw new EmbeddedError(
      `The embedded PostgreSQL does not start: ${messageOf(error)}\nSet DATABASE_URL to use a PostgreSQL server of your own (15 or newer).`,
      { cause: error },
    );
  }
}

async function start(
  dataDir: string,
  { settings = {}, durable = true, log = () => {} }: EmbeddedOptions,
): Promise<Embedded> {
  const who = runner();
  const home = prepareHome(dataDir, who);
  const lease = acquireLease(dataDir);
  try {
    const secrets = loadSecrets(dataDir, home);
    const binaries = findBinaries(who, home);
    const cluster = await prepareCluster(dataDir, secrets, {
      binaries,
      runner: who,
      durable,
    });
    const launch = {
      dataDir,
      cluster,
      binaries,
      runner: who,
      log,
      settings: { ...(durable ? {} : NOT_DURABLE), ...settings },
    };
    let server = await runWithDatabase(launch, secrets.owner);
    const watch = keepRunning(
      () => server,
      async () => (server = await ensureRunning({ ...launch, port: server.port })),
      log,
    );
    let stopping: Promise<void> | undefined;
    const stop = async () => {
      await watch.end();
      if (lease.release() > 0) return log("PostgreSQL stays up: another process of Trailmark uses it");
      const found = readPostmaster(cluster);
      if (found.kind !== "none" && found.kind !== "foreign") await stopPostmaster(found.pid, cluster);
    };
    return {
      ...urls(secrets, server.port),
      attached: server.attached,
      cluster,
      pid: () => server.pid,
      stop: () => (stopping ??= stop()),
    };
  } catch (error) {
    lease.release();
    throw error;
  }
}

/** Checks every quarter second that the server's process lives, and restarts it otherwise. */
function keepRunning(
  current: () => Server,
  restart: () => Promise<Server>,
  log: (line: string) => void,
): { end(): Promise<void> } {
  let busy: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    if (busy || isAlive(current().pid)) return;
    log("PostgreSQL died and is started again");
    busy = restart()
      .catch((error: unknown) => log(`PostgreSQL does not come back: ${messageOf(error)}`))
      .finally(() => (busy = undefined));
  }, WATCH_MS);
  timer.unref();
  return {
    end: async () => {
      clearInterval(timer);
      await busy;
    },
  };
}
