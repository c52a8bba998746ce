import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@/db/embedded/create-folder";
import { env } from "@/server/ground/env";

const NAME = /^([0-9a-f-]{36})\.(\d+)$/;

/** Folder of export files, which are kept for a day. */
export const exportsFolder = (): string => join(env().TRAILMARK_DATA_DIR, "exports");

/** File of one attempt at an export, so that two processes never write the same. */
export const exportPath = (id: string, attempt: number): string => join(exportsFolder(), `${id}.${attempt}`);

/** Creates the folder, readable only by this process's user. */
export const createExportsFolder = (): unknown => createFolder(exportsFolder(), 0o700);

type ExportFile = { id: string; attempt: number; path: string };

/** Files in the folder, with their export and attempt. */
export async function listFiles(): Promise<ExportFile[]> {
  const names = await readdir(exportsFolder()).catch((): string[] => []);
  return names.flatMap((name) => {
    const [, id, attempt] = NAME.exec(name) ?? [];
    return id ? [{ id, attempt: Number(attempt), path: join(exportsFolder(), name) }] : [];
  });
}

/** Deletes files of an export: of all attempts, or up to one. */
export async function removeFiles(id: string, through = Number.POSITIVE_INFINITY): Promise<void> {
  for (const file of await listFiles())
    if (file.id === id && file.attempt <= through) await rm(file.path, { force: true });
}
