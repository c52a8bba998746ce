import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates a folder for its owner only, with missing parents. One at a time: Node's `recursive` never returns where the
 * system refuses to create one, as below /proc.
 * @throws Node's file errors
 */
export async function createFolder(folder: string): Promise<void> {
  const above = dirname(folder);
  if (above !== folder && !existsSync(above)) await createFolder(above);
  await mkdir(folder, { mode: 0o700 }).catch(async (error: unknown) => {
    if (!existsSync(folder) || !(await stat(folder)).isDirectory()) throw error;
  });
}
