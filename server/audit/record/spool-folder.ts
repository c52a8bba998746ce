import { randomBytes } from "node:crypto";
import { readdirSync, renameSync, rmdirSync, statSync, unlinkSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFolder } from "@/db/embedded/create-folder";
import { syncFolder } from "@/db/embedded/sync-folder";
import { isProcessAlive, processName } from "@/server/ground/process-name";

/**
 * Every process spools into its own folder below the spool, named PROCESS~RANDOM (process-name.ts), and adopts the folders
 * of dead ones by renaming them to OWN+N: the rename is atomic, so two that start together never replay the same folder.
 * A folder of another host (a container that shared the volume) counts as dead when its heartbeat, the folder's
 * modification time, has stopped.
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

/** Does what may fail because another process was faster. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // A faster process has done it.
  }
}

/** Creates the spool where there is none, and this process's own folder below it; both survive the loss of power. */
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
  attempt(() => rmdirSync(folder));
}

/** Removes a file; one that cannot be removed stays. */
export function removeFile(path: string): void {
  attempt(() => unlinkSync(path));
}

/** Takes over the folders of dead processes. @returns their names now */
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
