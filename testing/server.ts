import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readPostmaster, stopPostmaster } from "@/db/embedded/postmaster";
import { programOf } from "@/scripts/program.mjs";

/** First partner admin of a server under test. */
export const ADMIN = { email: "admin@trailmark.example", password: "correct horse battery" };

/** Shorter than the time limit of a test's set-up. */
const READY_TIMEOUT_MS = 230_000;
const STOP_TIMEOUT_MS = 15_000;

/** Variables that could lead the server under test to a real database or address. */
const FOREIGN = /^(TEST_)?(DATABASE_|AUDIT_ADMIN_DATABASE_|TRAILMARK_|NEXTAUTH_|METRICS_|TRUST_PROXY|WORKERS)/;

export type Server = { base: string; child: ChildProcess; dataDir: string; port: number };

const isFree = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const probe = createServer().once("error", () => done(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => done(true)));
  });

/**
 * A free port below the ephemeral range and apart from the embedded database's: a server takes seconds to listen, while
 * other tests open thousands of connections. Browsers refuse 10080.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(11_000, 20_000);
    if (await isFree(port)) return port;
  }
}

/** True if the server reports ready. */
export const isReady = (base: string): Promise<boolean> =>
  fetch(`${base}/readyz`, { signal: AbortSignal.timeout(4_000) }).then(
    (r) => r.ok,
    () => false,
  );

function environment(dataDir: string, port: number): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([variable]) => !FOREIGN.test(variable))),
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: String(port),
    TRAILMARK_DATA_DIR: dataDir,
    TRAILMARK_ADMIN_EMAIL: ADMIN.email,
    TRAILMARK_ADMIN_PASSWORD: ADMIN.password,
    // One agent represents a fleet.
    AGENT_REQUESTS_PER_MINUTE: "120000",
  };
}

type Start = { dataDir: string; port: number; env?: Record<string, string>; logFile?: string; checkout?: string };

/**
 * Starts the built server on loopback with its own embedded PostgreSQL and waits until it is ready.
 * @param logFile file for its output; by default prints errors here.
 * @param checkout a built folder of another version; by default this one
 */
export async function startServer({ dataDir, port, env, logFile, checkout = process.cwd() }: Start): Promise<Server> {
  const log = logFile === undefined ? undefined : openSync(logFile, "w");
  const program = programOf(join(checkout, "dist", "server.mjs"));
  const child = spawn(program.command, program.args, {
    cwd: checkout,
    env: { ...environment(dataDir, port), ...program.env, ...(log === undefined && { LOG_LEVEL: "error" }), ...env },
    stdio: ["ignore", log ?? "ignore", log ?? "inherit"],
  });
  if (log !== undefined) closeSync(log);
  const server = { base: `http://127.0.0.1:${port}`, child, dataDir, port };
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    if (await isReady(server.base)) return server;
    await sleep(50);
  }
  const output = logFile === undefined ? "" : readFileSync(logFile, "utf8").trim().slice(-3_000);
  await endServer(server);
  throw new Error(`The server did not become ready (exit code ${child.exitCode}).\n${output}`);
}

/** Stops a server, by force after a time limit, and leaves no PostgreSQL behind. */
export async function endServer(server: Server): Promise<void> {
  const force = setTimeout(() => server.child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await stopServer(server);
  clearTimeout(force);
  const cluster = join(server.dataDir, "postgres");
  // Only after the server was killed, or gave up waiting for a stopping one.
  const left = readPostmaster(cluster);
  if (left.kind !== "none" && left.kind !== "foreign") await stopPostmaster(left.pid, cluster);
}

/** Ends a server and, with it, its embedded PostgreSQL; or another program. */
export async function stopServer({ child }: Pick<Server, "child">): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

/** kill -9, as sent by an operator or the kernel. */
export async function killServer({ child }: Server): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** Folder and passwords of a data folder's embedded cluster. */
export function clusterOf(dataDir: string): { folder: string; owner: string; port: number } {
  const kept: { cluster: string; owner: string } = JSON.parse(readFileSync(join(dataDir, "postgres.json"), "utf8"));
  const folder = kept.cluster === "postgres" ? join(dataDir, "postgres") : kept.cluster;
  return { folder, owner: kept.owner, port: Number(readFileSync(join(dataDir, "postgres.port"), "utf8")) };
}

/** kill -9 of the embedded PostgreSQL. */
export const killPostgres = (dataDir: string): Promise<void> => killPostmaster(clusterOf(dataDir).folder);

/** Signals each process of a running PostgreSQL, except those that have exited. */
export async function signalPostmaster(folder: string, signal: NodeJS.Signals): Promise<void> {
  const running = readPostmaster(folder);
  if (running.kind === "none" || running.kind === "foreign") return;
  const { pid } = running;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(/\s+/).filter(Boolean);
  for (const one of [pid, ...children.map(Number)]) {
    try {
      process.kill(one, signal);
    } catch {
      // already gone
    }
  }
}

/** kill -9 of PostgreSQL's main process and all backends: nothing is flushed. */
export const killPostmaster = (folder: string): Promise<void> => signalPostmaster(folder, "SIGKILL");
