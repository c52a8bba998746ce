import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { appendFile, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@/db/embedded/create-folder";
import { env } from "@/server/ground/env";
import { isUuid } from "@/server/ground/ids";
import { readOwnNote, type StoredNote } from "./stored-note";

/**
 * Notes outside the database, a folder per organization: `latest` is the newest checkpoint, YYYY-MM.ndjson holds every
 * receipt and the last checkpoint of each hour.
 */

const root = (): string => join(env().TRAILMARK_DATA_DIR, "checkpoints");
const folderOf = (orgId: string): string => join(root(), orgId);

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}

const latestOf = (orgId: string): string => join(folderOf(orgId), "latest");

function toLatest(orgId: string, note: string): StoredNote | null {
  const stored = readOwnNote(orgId, note);
  return stored?.kind === "checkpoint" ? stored : null;
}

/** Newest checkpoint in the folder; null if there is none that our key signed. */
export async function readLatest(orgId: string): Promise<StoredNote | null> {
  const path = latestOf(orgId);
  return existsSync(path) ? toLatest(orgId, await readFile(path, "utf8")) : null;
}

/** Newest checkpoint of every organization with a folder, known to the database or not. */
export async function readEveryLatest(): Promise<StoredNote[]> {
  const names = existsSync(root()) ? readdirSync(root()).filter(isUuid) : [];
  const notes = await Promise.all(names.map(readLatest));
  return notes.filter((note) => note !== null);
}

/** Appends a note to its month's file and waits for the disk. */
export async function keepInMonth(stored: StoredNote): Promise<void> {
  const folder = folderOf(stored.orgId);
  createFolder(folder, 0o700);
  const month = join(folder, `${stored.signedAt.slice(0, 7)}.ndjson`);
  await appendFile(month, `${JSON.stringify(stored)}\n`, { mode: 0o600, flush: true });
  await syncPath(folder);
}

const hourOf = ({ signedAt }: StoredNote): string => signedAt.slice(0, 13);

/**
 * Replaces the newest checkpoint with a draft, unless a larger and later one exists by now, for example from a command
 * run beside the server. Nothing else in this process runs between the check and the rename.
 */
function replaceLatest({ orgId, size, signedAt }: StoredNote, draft: string): void {
  const path = latestOf(orgId);
  const kept = existsSync(path) ? toLatest(orgId, readFileSync(path, "utf8")) : null;
  if (!kept || kept.size <= size || kept.signedAt < signedAt) renameSync(draft, path);
}

/**
 * Keeps a checkpoint as the newest, on disk before anything else sees it. The replaced one goes to its month's file if
 * it was the last of its hour. Two processes may do so at once, each with its own draft.
 */
export async function keepLatest(stored: StoredNote): Promise<void> {
  const folder = folderOf(stored.orgId);
  createFolder(folder, 0o700);
  const before = await readLatest(stored.orgId);
  if (before && hourOf(before) !== hourOf(stored)) await keepInMonth(before);
  const draft = join(folder, `latest.${randomUUID()}.new`);
  try {
    await writeFile(draft, stored.note, { flag: "wx", mode: 0o600, flush: true });
    replaceLatest(stored, draft);
  } finally {
    await rm(draft, { force: true });
  }
  await syncPath(folder);
}

/** Last write to this process's folder before the process started; the start itself for an empty folder. */
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
