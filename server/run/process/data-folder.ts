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
import { codeOf, ExpectedError } from "@/db/thrown";
import { unusableVariable } from "@/server/ground/env";
import { isProcessAlive, processName } from "@/server/ground/process-name";

/** @throws EnvError if the data folder cannot be created */
export function createDataFolder(dataDir: string): void {
  try {
    createFolder(dataDir);
  } catch (error) {
    throw unusableVariable("TRAILMARK_DATA_DIR", `${dataDir} cannot be created (${String(error)})`);
  }
}

/** Folders written by the server; the embedded PostgreSQL's belongs to another user if root starts it. */
const FOLDERS = ["spool", "keys", "checkpoints", "exports", "imports"];

/** User that runs the server; containers may use one unknown to their system. */
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
 * First folder in a data folder, itself included, that this user cannot read and write, for example after a command ran
 * as root. Undefined if all are usable.
 */
export function unusableFolder(dataDir: string): string | undefined {
  if (!isUsable(dataDir)) return dataDir;
  const own = FOLDERS.map((name) => join(dataDir, name)).filter(existsSync);
  return own.find((folder) => !isUsable(folder)) ?? own.flatMap(foldersIn).find((folder) => !isUsable(folder));
}

const NAME = "server.lock";
/** Maximum time for a stopping server to drain. */
const TIMEOUT_MS = 12_000;
const POLL_MS = 100;

/** System errors for wrong rights, and for read-only or full disks. */
const UNWRITABLE = new Set(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"]);

/** Runs a write to the data folder. @throws ExpectedError if the system denies it */
function writing<T>(dataDir: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = codeOf(error);
    if (!UNWRITABLE.has(code)) throw error;
    throw new ExpectedError(
      `TRAILMARK_DATA_DIR: the data folder ${dataDir} cannot be written (${code}). Make room, or give it to the user who runs the server: ${userName()}.`,
    );
  }
}

/** Process named in a lock; "" for none, or one being written. */
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

/** True for a lock without a process: being written, or cut by a power loss. */
const isBlank = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.size === 0;

/** Removes a dead server's lock; another process may have done so first, and its own lock must stay. */
function removeDead(path: string, holder: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (holderOf(aside) === holder) rmSync(aside);
    else renameSync(aside, path);
  } catch {
    // Already removed.
  }
}

/**
 * Locks an existing data folder for this server: two would share spool, exports and checkpoints. Waits for a stopping
 * server. A lock from another machine or container cannot be checked, so it is taken over.
 * @returns a function to release the folder
 * @throws ExpectedError, a sentence for the operator
 */
export async function lockFolder(dataDir: string, timeoutMs = TIMEOUT_MS): Promise<() => void> {
  const path = join(dataDir, NAME);
  const foreign = unusableFolder(dataDir);
  // An unwritable folder (full or read-only disk) reports the reason when the lock is written.
  if (foreign && foreign !== dataDir)
    throw new ExpectedError(
      `TRAILMARK_DATA_DIR: ${foreign} cannot be read and written by the user who runs the server, ${userName()}. Give it back: chown -R ${userName()} ${dataDir}`,
    );
  const acquire = () => writing(dataDir, () => create(path));
  for (const deadline = Date.now() + timeoutMs; !acquire(); await sleep(POLL_MS)) {
    const holder = holderOf(path);
    const isLate = Date.now() > deadline;
    if (holder ? !isProcessAlive(holder) : isLate && isBlank(path)) removeDead(path, holder);
    else if (isLate)
      throw new ExpectedError(
        `Another server (process ${holder.split("-")[1] ?? "unknown"}) uses the data folder ${dataDir}. Stop it, or set TRAILMARK_DATA_DIR to a folder of this server's own.`,
      );
  }
  return () => {
    if (holderOf(path) === processName()) rmSync(path, { force: true });
  };
}
