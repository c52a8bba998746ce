import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Binaries, postgresOf } from "./binaries";
import { isAlive, readPostmaster, removeStalePid } from "./postmaster";
import { POSTGRES_ENV, type Runner } from "./runner";

/** A running server; attached if another process started it. */
export type Server = { pid: number; port: number; attached: boolean };

export type Launch = {
  dataDir: string;
  cluster: string;
  binaries: Binaries;
  runner: Runner;
  settings: Record<string, string>;
  /** Port in addresses already given out, which must not change at a restart. */
  port?: number;
  log: (line: string) => void;
};

/** After a kill its workers hold shared memory a moment longer. */
const LOCK_RETRY_MS = 30_000;
/** Crash recovery after a kill may replay up to max_wal_size. */
const READY_MS = 300_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(false));
    probe.listen({ host: "127.0.0.1", port, exclusive: true }, () => probe.close(() => done(true)));
  });
}

/** Below the ephemeral port range, from which an outgoing connection could take ours between two starts. */
async function rememberedPort(dataDir: string): Promise<number> {
  const file = join(dataDir, "postgres.port");
  const remembered = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  if (remembered && (await isFree(remembered))) return remembered;
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (!(await isFree(port))) continue;
    writeFileSync(file, `${port}\n`);
    return port;
  }
}

function openLog(dataDir: string): { fd: number; tail(): string } {
  const file = join(dataDir, "postgres.log");
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) renameSync(file, `${file}.old`);
  const from = size > MAX_LOG_BYTES ? 0 : size;
  return {
    fd: openSync(file, "a", 0o600),
    tail: () => readFileSync(file).subarray(from).toString("utf8").trim().slice(-2_000),
  };
}

/** One attempt. @returns the server when ready, or PostgreSQL's output if it exited before. */
async function attempt(launch: Launch): Promise<Server | string> {
  const { cluster, runner, settings } = launch;
  const port = launch.port ?? (await rememberedPort(launch.dataDir));
  const log = openLog(launch.dataDir);
  const options = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    ...settings,
  };
  const args = ["-D", cluster, ...Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  // Detached into its own process group, so that Ctrl-C reaches only us and we drain before PostgreSQL stops.
  const child = spawn(postgresOf(launch.binaries), args, {
    uid: runner.uid,
    gid: runner.gid,
    cwd: runner.cwd,
    env: POSTGRES_ENV,
    detached: true,
    windowsHide: true,
    stdio: ["ignore", log.fd, log.fd],
  });
  closeSync(log.fd);
  let ended: string | undefined;
  child.once("error", (error) => (ended = error.message));
  child.once("exit", (code, signal) => (ended ??= `it ended with ${signal ?? code}`));
  child.unref();
  const deadline = Date.now() + READY_MS;
  while (ended === undefined && Date.now() < deadline) {
    const found = readPostmaster(cluster);
    if (found.kind === "ready" && found.pid === child.pid) return { pid: found.pid, port: found.port, attached: false };
    await sleep(20);
  }
  return log.tail() || ended || `it was not ready after ${READY_MS / 1000} s`;
}

/**
 * Attaches to the cluster's running server, waits for one that is starting or stopping, or starts it.
 * @throws Error with PostgreSQL's output when it does not start.
 */
export async function ensureRunning(launch: Launch): Promise<Server> {
  const started = Date.now();
  let giveUpAt: number | undefined;
  for (;;) {
    const found = readPostmaster(launch.cluster);
    if (found.kind === "ready") return { pid: found.pid, port: found.port, attached: true };
    if (found.kind === "foreign") await removeStalePid(launch.cluster);
    if (found.kind === "starting" || found.kind === "stopping") {
      if (Date.now() - started > READY_MS)
        throw new Error(
          `the server that runs already (process ${found.pid}) is ${found.kind} and does not get further`,
        );
      await waitWhile(found.pid);
      continue;
    }
    const result = await attempt(launch);
    if (typeof result !== "string") return result;
    giveUpAt ??= Date.now() + LOCK_RETRY_MS;
    if (!isTransient(result) || Date.now() > giveUpAt) throw new Error(result);
    await sleep(100);
  }
}

const isTransient = (output: string): boolean =>
  /postmaster\.pid|shared memory|Address already in use|could not create any TCP/.test(output);

async function waitWhile(pid: number): Promise<void> {
  for (let i = 0; i < 5 && isAlive(pid); i++) await sleep(20);
}
