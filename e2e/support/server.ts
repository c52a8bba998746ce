import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPostmaster, stopPostmaster } from "@/db/embedded/postmaster";

/** The first partner admin of the server under test. */
export const ADMIN = { email: "admin@trailmark.example", password: "correct horse battery" };

const READY_MS = 90_000;
const STOP_MS = 15_000;

/** Variables that would lead the server under test to somebody's real database or address. */
const FOREIGN = /^(TEST_)?(DATABASE_|AUDIT_ADMIN_DATABASE_|TRAILMARK_|NEXTAUTH_|NATS_|METRICS_|TRUST_PROXY|WORKERS)/;

/** A port that nothing listens on. */
export function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer().once("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

async function waitUntilReady(server: ChildProcess, url: string, logFile: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (!(await isReady(url))) {
    const said = () => readFileSync(logFile, "utf8").trim().slice(-3_000);
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}:\n${said()}`);
    if (Date.now() > deadline) throw new Error(`The server is not ready after ${READY_MS / 1000} s:\n${said()}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

function stop(server: ChildProcess): Promise<void> {
  return new Promise((done) => {
    if (server.exitCode !== null || server.signalCode !== null) return done();
    const force = setTimeout(() => server.kill("SIGKILL"), STOP_MS);
    server.once("exit", () => {
      clearTimeout(force);
      done();
    });
    server.kill("SIGTERM");
  });
}

export type Started = { url: string; dataDir: string; logFile: string; end: () => Promise<void> };

/** The built server on an empty data folder of its own, ready; end stops it and deletes the folder. */
export async function startServer(name: string, port: string, env: Record<string, string>): Promise<Started> {
  const url = `http://127.0.0.1:${port}`;
  const dataDir = mkdtempSync(join(tmpdir(), "trailmark-e2e-"));
  mkdirSync(join("dist", "results"), { recursive: true });
  const logFile = join("dist", "results", `${name}.log`);
  const log = openSync(logFile, "w");
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([variable]) => !FOREIGN.test(variable)));
  const own = { NODE_ENV: "production" as const, HOST: "127.0.0.1", PORT: port, TRAILMARK_DATA_DIR: dataDir };
  const server = spawn(process.execPath, ["--enable-source-maps", join("dist", "server.mjs")], {
    env: { ...inherited, ...own, ...env },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const end = async () => {
    await stop(server);
    const cluster = join(dataDir, "postgres");
    const left = readPostmaster(cluster); // only when the server had to be killed
    if (left.kind === "ready") await stopPostmaster(left.pid, cluster);
    rmSync(dataDir, { recursive: true, force: true });
  };
  await waitUntilReady(server, url, logFile).catch(async (error) => {
    await end();
    throw error;
  });
  return { url, dataDir, logFile, end };
}

/** Playwright's global set-up: the server that all tests share. */
export default async function serve(): Promise<() => Promise<void>> {
  const port = process.env.TRAILMARK_E2E_PORT ?? String(await freePort());
  const started = await startServer("e2e-server", port, {
    TRAILMARK_ADMIN_EMAIL: ADMIN.email,
    TRAILMARK_ADMIN_PASSWORD: ADMIN.password,
  });
  process.env.TRAILMARK_E2E_DATA = started.dataDir;
  return started.end;
}
