import { randomBytes } from "node:crypto";
import { readdirSync, renameSync, rmdirSync, statSync, unlinkSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFolder } from "@/db/embedded/create-folder";
import { syncFolder } from "@/db/embedded/sync-folder";
import { isProcessAlive, processName } from "@/server/ground/process-name";

/**
 * Every process spools into its own folder, named PROCESS~RANDOM (process-name.ts), and adopts folders of dead
 * processes by renaming them to OWN+N: the rename is atomic, so two processes that start together never replay the same
 * folder. A folder of another host (a container on a shared volume) counts as dead once its heartbeat, the folder's
 * mtime, stops.
 */
const STALE_MS = 30_000;
export const HEARTBEAT_MS = 10_000;

const FOLDER = /^([0-9a-f]{10}-\d+-[0-9a-z]+)~[0-9a-f]{6}(\+\d+)?$/;

const identity = { live: new Set<string>(), adopted: 0 };

function isAlive(root: string, name: string): boolean {
  const [, owner = ""] = FOLDER.exec(name) ?? [];
  const fresh = () => Date.now() - statSync(join(root, name)).mtimeMs < STALE_MS;
  if (owner === processName()) return identity.live.has(name.split("+")[0] ?? name);
  return isProcessAlive(owner) ?? fresh();
}

/** Ignores failures caused by a faster process. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // A faster process did it.
  }
}

/** Creates the spool and this process's folder if missing; both survive a power loss. */
export function openFolder(root: string): string {
  const name = `${processName()}~${randomBytes(3).toString("hex")}`;
  const path = join(root, name);
  const first = createFolder(path, 0o700) ?? path;
  for (let folder = path; folder.length >= first.length; ) {
    folder = dirname(folder);
    syncFolder(folder);
  }
  identity.live.add(name);
  return name;
}

/** Updates the heartbeat of its own and adopted folders. */
export function beat(root: string, name: string): void {
  const now = new Date();
  for (const folder of readdirSync(root)) if (folder.split("+")[0] === name) utimesSync(join(root, folder), now, now);
}

/** Gives up a folder: deletes it if empty, else leaves it for adoption. */
export function releaseFolder(root: string, name: string): void {
  identity.live.delete(name);
  removeIfEmpty(join(root, name));
}

export function removeIfEmpty(folder: string): void {
  attempt(() => rmdirSync(folder));
}

export function removeFile(path: string): void {
  attempt(() => unlinkSync(path));
}

/** Takes over folders of dead processes. @returns their new names */
export function adoptOrphans(root: string, own: string): string[] {
  const adopted: string[] = [];
  for (const name of readdirSync(root).sort()) {
    if (!FOLDER.test(name)) continue;
    const mine = `${own}+${identity.adopted + 1}`;
    attempt(() => {
      if (isAlive(root, name)) return;
      renameSync(join(root, name), join(root, mine));
      identity.adopted += 1;
      adopted.push(mine);
    });
  }
  return adopted;
}
