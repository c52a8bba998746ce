import { existsSync, readdirSync, statSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@/db/embedded/create-folder";
import { env } from "@/server/env";
import { readOwnNote, type StoredNote } from "./stored-note";

/**
 * The notes kept outside the database, a folder for each organization: `latest` is the newest checkpoint, and
 * YYYY-MM.ndjson holds every receipt and the last checkpoint of each hour.
 */

const root = (): string => join(env().TRAILMARK_DATA_DIR, "checkpoints");
const folderOf = (orgId: string): string => join(root(), orgId);

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}

async function readIfThere(path: string): Promise<string | null> {
  return existsSync(path) ? await readFile(path, "utf8") : null;
}

/** The newest checkpoint in the folder; null when there is none, or none that our key signed. */
export async function readLatest(orgId: string): Promise<StoredNote | null> {
  const note = await readIfThere(join(folderOf(orgId), "latest"));
  const stored = note === null ? null : readOwnNote(orgId, note);
  return stored?.kind === "checkpoint" ? stored : null;
}

/** Appends a note to the file of its month and waits for the disk. */
export async function keepInMonth(stored: StoredNote): Promise<void> {
  const folder = folderOf(stored.orgId);
  createFolder(folder, 0o700);
  const handle = await open(join(folder, `${stored.signedAt.slice(0, 7)}.ndjson`), "a", 0o600);
  try {
    await handle.appendFile(`${JSON.stringify(stored)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncPath(folder);
}

const hourOf = ({ signedAt }: StoredNote): string => signedAt.slice(0, 13);

/**
 * Keeps a checkpoint as the newest one: on the disk before anything else sees it. The one that it replaces goes to the file
 * of its month when it was the last of its hour.
 */
export async function keepLatest(stored: StoredNote): Promise<void> {
  const folder = folderOf(stored.orgId);
  createFolder(folder, 0o700);
  const before = await readLatest(stored.orgId);
  if (before && hourOf(before) !== hourOf(stored)) await keepInMonth(before);
  const written = join(folder, "latest.new");
  const handle = await open(written, "w", 0o600);
  try {
    await handle.writeFile(stored.note);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(written, join(folder, "latest"));
  await syncPath(folder);
}

/** Until when this process's folder had been written before the process began; its start for an empty folder. */
export function folderKeptThrough(): number {
  const folder = root();
  if (since?.folder !== folder) since = { folder, at: newestChange(folder) ?? Date.now() };
  return since.at;
}
let since: { folder: string; at: number } | undefined;

function newestChange(folder: string): number | undefined {
  if (!existsSync(folder)) return undefined;
  const changes = readdirSync(folder)
    .map((name) => statSync(join(folder, name, "latest"), { throwIfNoEntry: false })?.mtimeMs ?? 0)
    .filter((at) => at > 0);
  return changes.length > 0 ? Math.max(...changes) : undefined;
}
