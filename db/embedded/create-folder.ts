import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** @returns whether it was created; false if it existed, or another process was faster */
function createOne(folder: string, mode: number | undefined): boolean {
  try {
    mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    if (existsSync(folder) && statSync(folder).isDirectory()) return false;
    throw error;
  }
}

/**
 * Creates a folder with missing parents. One at a time: Node's `recursive` never returns where the system refuses to
 * create one, as below /proc.
 * @returns the uppermost created folder; undefined if all existed
 * @throws Node's file errors
 */
export function createFolder(path: string, mode?: number): string | undefined {
  const folders = [resolve(path)];
  for (let above = dirname(resolve(path)); !existsSync(above) && above !== dirname(above); above = dirname(above))
    folders.unshift(above);
  return folders.filter((folder) => createOne(folder, mode))[0];
}
