import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFolder } from "@/db/embedded/create-folder";
import { codeOf } from "@/db/thrown";
import { unusableVariable } from "@/server/ground/env";
import { isProcessAlive, processName } from "@/server/ground/process-name";

/** @throws EnvError where the data folder cannot be a folder */
export function createDataFolder(dataDir: string): void {
  try {
    createFolder(dataDir);
  } catch (error) {
    throw unusableVariable("TRAILMARK_DATA_DIR", `${dataDir} cannot be created (${String(error)})`);
  }
}

/** Folders that the server writes to; the embedded PostgreSQL's folder is another user's where root starts it. */
const FOLDERS = ["spool", "keys", "checkpoints", "exports", "imports"];

/** The user that runs the server; a container may run it as a user whom its system does not know. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}

function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const foldersIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));

/**
 * The first folder in a data folder, itself included, that this user cannot read and write: a command that ran once as
 * root leaves such behind. Undefined where all can be used.
 */
export function unusableFolder(dataDir: string): string | undefined {
  if (!isUsable(dataDir)) return dataDir;
  const own = FOLDERS.map((name) => join(dataDir, name)).filter(existsSync);
  return own.find((folder) => !isUsable(folder)) ?? own.flatMap(foldersIn).find((folder) => !isUsable(folder));
}

const NAME = "server.lock";
/** How long a server drains that is to stop. */
const TIMEOUT_MS = 12_000;
const POLL_MS = 100;

/** A data folder that this server cannot have: the operator can mend it, so its message is a sentence. */
class FolderRefused extends Error {
  readonly expected = true;
}

/** The system's errors for a folder with wrong rights, on a read-only or a full disk. */
const UNWRITABLE = new Set(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"]);

/** Does what writes to the data folder. @throws FolderRefused where the system lets this user not */
function writing<T>(dataDir: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = codeOf(error);
    if (!UNWRITABLE.has(code)) throw error;
    throw new FolderRefused(
      `TRAILMARK_DATA_DIR: the data folder ${dataDir} cannot be written (${code}). Make room, or give it to the user who runs the server: ${userName()}.`,
    );
  }
}

/** The process that a lock names; "" for none, or when it is just being written. */
function holderOf(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function create(path: string): boolean {
  try {
    writeFileSync(path, `${processName()}\n`, { flag: "wx", mode: 0o600, flush: true });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** True for a lock that names no process: one that is just being written, or was when the machine lost its power. */
const isBlank = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.size === 0;

/** Puts a dead server's lock away; another process may have done so first, and its own lock must stay. */
function removeDead(path: string, holder: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (holderOf(aside) === holder) rmSync(aside);
    else renameSync(aside, path);
  } catch {
    // It is gone.
  }
}

/**
 * Takes a data folder that is there for this server: two would share spool, exports and checkpoints, which each believes to be its own.
 * Waits for a server that is on its way out. What another machine or container wrote says nothing of whether it lives, so
 * it is taken over.
 * @returns gives the folder free again
 * @throws FolderRefused, a sentence for the operator
 */
export async function lockFolder(dataDir: string, timeoutMs = TIMEOUT_MS): Promise<() => void> {
  const path = join(dataDir, NAME);
  const foreign = unusableFolder(dataDir);
  // A folder that nothing can be written to says why (a full disk, a read-only one) when the lock is written.
  if (foreign && foreign !== dataDir)
    throw new FolderRefused(
      `TRAILMARK_DATA_DIR: ${foreign} cannot be read and written by the user who runs the server, ${userName()}. Give it back: chown -R ${userName()} ${dataDir}`,
    );
  const acquire = () => writing(dataDir, () => create(path));
  for (const deadline = Date.now() + timeoutMs; !acquire(); await sleep(POLL_MS)) {
    const holder = holderOf(path);
    const isLate = Date.now() > deadline;
    if (holder ? !isProcessAlive(holder) : isLate && isBlank(path)) removeDead(path, holder);
    else if (isLate)
      throw new FolderRefused(
        `Another server (process ${holder.split("-")[1] ?? "unknown"}) uses the data folder ${dataDir}. Stop it, or set TRAILMARK_DATA_DIR to a folder of this server's own.`,
      );
  }
  return () => {
    if (holderOf(path) === processName()) rmSync(path, { force: true });
  };
}
