import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";

/** What the server writes to; the embedded PostgreSQL's folder is another user's where root starts it. */
const FOLDERS = ["spool", "keys", "checkpoints", "exports", "imports"];

/** Who runs the server; a container may run it as a user whom its system does not know. */
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
