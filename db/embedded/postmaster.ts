import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "@/db/thrown";

/** Contents of postmaster.pid, and whether its process is this cluster's server. */
export type Postmaster =
  | { kind: "none" }
  | { kind: "foreign"; pid: number }
  | { kind: "starting" | "stopping" | "ready"; pid: number; port: number };

/** True if a process exists and is not an uncollected zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== "EPERM") return false;
  }
  if (process.platform !== "linux") return true;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

/** A server's working directory is its data folder; except on Linux its command line contains it. */
function worksIn(pid: number, cluster: string): boolean {
  try {
    if (process.platform === "linux") return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
    if (process.platform === "win32") return true;
    return execFileSync("ps", ["-p", String(pid), "-o", "command="], {
      encoding: "utf8",
    }).includes(cluster);
  } catch {
    return false;
  }
}

/** Parses postmaster.pid of a cluster's folder: line 1 pid, 4 port, 8 status. */
export function readPostmaster(cluster: string): Postmaster {
  let lines: string[];
  try {
    lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
  } catch {
    return { kind: "none" };
  }
  const pid = Math.abs(Number.parseInt(lines[0] ?? "", 10));
  if (!pid || !isAlive(pid)) return pid ? { kind: "none" } : { kind: "foreign", pid: 0 };
  if (!worksIn(pid, cluster)) return { kind: "foreign", pid };
  const port = Number(lines[3]);
  const status = lines[7]?.trim();
  return {
    kind: status === "ready" ? "ready" : status === "stopping" ? "stopping" : "starting",
    pid,
    port,
  };
}

function hasWorkers(cluster: string): boolean {
  if (process.platform !== "linux") return false;
  return readdirSync("/proc").some(
    (name) => /^\d+$/.test(name) && isAlive(Number(name)) && worksIn(Number(name), cluster),
  );
}

/** Time for a dead server's workers to exit. */
const WORKERS_LEAVE_MS = 30_000;

/**
 * Removes a pid file whose number now belongs to another program (after a reboot or in a new container), which
 * PostgreSQL would take for a running server. Waits for workers of the dead server, which exit soon after their parent.
 * @throws Error when they do not.
 */
export async function removeStalePid(cluster: string): Promise<void> {
  const deadline = Date.now() + WORKERS_LEAVE_MS;
  while (hasWorkers(cluster)) {
    if (Date.now() > deadline) throw new Error(`processes of an earlier server still work in ${cluster}`);
    await sleep(100);
  }
  if (readPostmaster(cluster).kind === "foreign") rmSync(join(cluster, "postmaster.pid"), { force: true });
}

/**
 * Fast shutdown (SIGINT): rolls back open transactions, writes a checkpoint, exits. Immediate after 20 s; both are
 * safe.
 */
export async function stopPostmaster(pid: number, cluster: string): Promise<void> {
  const started = Date.now();
  let forced = false;
  signal(pid, "SIGINT");
  while (isAlive(pid) && worksIn(pid, cluster)) {
    if (!forced && Date.now() - started > 20_000) {
      forced = true;
      signal(pid, "SIGQUIT");
    }
    if (Date.now() - started > 30_000) throw new Error(`PostgreSQL (process ${pid}) does not stop`);
    await sleep(25);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It exited in the meantime.
  }
}
