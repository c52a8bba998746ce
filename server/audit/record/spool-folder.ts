import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  statSync,
  utimesSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { errorCode } from "./append";

/**
 * Every process spools into a folder of its own below the spool, named HOST-PID-START~RANDOM, and adopts the folders of
 * dead ones by renaming them to OWN+N: the rename is atomic, so two that start together never replay the same folder.
 * HOST stands for machine, boot and process-id namespace; there a process id with its start time says for certain
 * whether the owner lives. A folder of another host (a container that shared the volume) counts as dead when its
 * heartbeat, the folder's modification time, has stopped.
 */
const STALE_MS = 30_000;
export const HEARTBEAT_MS = 10_000;

const FOLDER = /^([0-9a-f]{10})-(\d+)-([0-9a-z]+)~[0-9a-f]{6}(\+\d+)?$/;

function readOr(fallback: string, read: () => string): string {
  try {
    return read();
  } catch {
    return fallback;
  }
}

/** Clock ticks from boot to the start of a process (proc(5), field 22), or "" where there is no /proc. */
const startOf = (pid: number | "self"): string =>
  readOr(
    "",
    () =>
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")[19] ?? "",
  );

type Identity = { host: string; start: string; live: Set<string>; adopted: number };

function identify(): Identity {
  const boot = readOr("", () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
  const namespace = readOr("", () => readlinkSync("/proc/self/ns/pid"));
  const host = createHash("sha256").update(`${hostname()}|${boot}|${namespace}`).digest("hex").slice(0, 10);
  const start = startOf("self") || `t${Math.round(Date.now() - process.uptime() * 1000)}`;
  return { host, start, live: new Set(), adopted: 0 };
}
const identity = identify();

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

function isAlive(root: string, name: string): boolean {
  const [, host, pid, start] = FOLDER.exec(name) ?? [];
  const [owner = name] = name.split("+");
  const fresh = () => Date.now() - statSync(join(root, name)).mtimeMs < STALE_MS;
  if (host !== identity.host) return fresh();
  if (Number(pid) === process.pid && start === identity.start) return identity.live.has(owner);
  if (!processExists(Number(pid))) return false;
  return start?.startsWith("t") ? fresh() : startOf(Number(pid)) === start;
}

/** Waits until what was made or removed in a folder is on the disk. @throws Error when the disk refuses */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Creates the spool where there is none, and this process's own folder below it; both survive the loss of power. */
export function openFolder(root: string): string {
  const name = `${identity.host}-${process.pid}-${identity.start}~${randomBytes(3).toString("hex")}`;
  const path = join(root, name);
  const first = mkdirSync(path, { recursive: true, mode: 0o700 }) ?? path;
  for (let folder = path; folder.length >= first.length; ) {
    folder = dirname(folder);
    syncFolder(folder);
  }
  identity.live.add(name);
  return name;
}

/** Says that this process lives, in its own folder and in those that it adopted. */
export function beat(root: string, name: string): void {
  const now = new Date();
  for (const folder of readdirSync(root)) if (folder.split("+")[0] === name) utimesSync(join(root, folder), now, now);
}

/** Gives the folder up: it is deleted when it is empty, and free to be adopted when it is not. */
export function releaseFolder(root: string, name: string): void {
  identity.live.delete(name);
  removeIfEmpty(join(root, name));
}

/** Removes a folder unless something is left in it. */
export function removeIfEmpty(folder: string): void {
  readOr("", () => {
    rmdirSync(folder);
    return "";
  });
}

/** Takes over the folders of dead processes; the names under which they stand now. */
export function adoptOrphans(root: string, own: string): string[] {
  const adopted: string[] = [];
  for (const name of readdirSync(root).sort()) {
    if (!FOLDER.test(name)) continue;
    const mine = `${own}+${identity.adopted + 1}`;
    readOr("", () => {
      if (isAlive(root, name)) return "";
      renameSync(join(root, name), join(root, mine));
      identity.adopted += 1;
      adopted.push(mine);
      return mine;
    });
  }
  return adopted;
}
