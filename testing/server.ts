import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";

export const ADMIN = { email: "torture@example.test", password: "torture-password-2026" };
const READY_TIMEOUT_MS = 60_000;

export type Server = { base: string; child: ChildProcess; dataDir: string; port: number };

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/** True when the server says that it is ready. */
export const isReady = (base: string): Promise<boolean> =>
  fetch(`${base}/readyz`, { signal: AbortSignal.timeout(4_000) }).then(
    (r) => r.ok,
    () => false,
  );

/** Starts the built server on loopback with its own embedded PostgreSQL and waits until it is ready. */
export async function startServer(dataDir: string, port: number, extra: Record<string, string> = {}): Promise<Server> {
  const env = {
    ...process.env,
    HOST: "127.0.0.1",
    PORT: String(port),
    NEXTAUTH_URL: "",
    DATABASE_URL: "",
    TRAILMARK_DATA_DIR: dataDir,
    TRAILMARK_ADMIN_EMAIL: ADMIN.email,
    TRAILMARK_ADMIN_PASSWORD: ADMIN.password,
    LOG_LEVEL: "error",
    ...extra,
  };
  const child = spawn(process.execPath, [join("dist", "server.mjs")], { env, stdio: ["ignore", "ignore", "inherit"] });
  const base = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    if (await isReady(base)) return { base, child, dataDir, port };
    await sleep(50);
  }
  child.kill("SIGKILL");
  throw new Error("the server did not become ready");
}

/** Ends a server and, with it, its embedded PostgreSQL. */
export async function stopServer({ child }: Server): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

/** kill -9, as an operator or the kernel would. */
export async function killServer({ child }: Server): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** The embedded cluster's folder and passwords, as the data folder keeps them. */
export function clusterOf(dataDir: string): { folder: string; owner: string; port: number } {
  const kept = JSON.parse(readFileSync(join(dataDir, "postgres.json"), "utf8")) as { cluster: string; owner: string };
  const folder = kept.cluster === "postgres" ? join(dataDir, "postgres") : kept.cluster;
  return { folder, owner: kept.owner, port: Number(readFileSync(join(dataDir, "postgres.port"), "utf8")) };
}

/** kill -9 of PostgreSQL's main process and every backend: nothing is flushed on the way out. */
export async function killPostgres(dataDir: string): Promise<void> {
  const pid = Number(readFileSync(join(clusterOf(dataDir).folder, "postmaster.pid"), "utf8").split("\n")[0]);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map(Number);
  for (const one of [pid, ...children]) {
    try {
      process.kill(one, "SIGKILL");
    } catch {
      // already gone with its parent
    }
  }
}

/** Turns synchronous_commit off for the application role's next connections. */
export async function makeCommitsLazy(dataDir: string): Promise<void> {
  const { owner, port } = clusterOf(dataDir);
  const sql = postgres(`postgres://trailmark_owner:${owner}@127.0.0.1:${port}/trailmark`, {
    max: 1,
    onnotice: () => {},
  });
  await sql`ALTER ROLE trailmark_app SET synchronous_commit = off`;
  await sql.end({ timeout: 5 });
}
