import { closeSync, fsyncSync, openSync } from "node:fs";

/** Syncs creations and removals in a folder to disk. @throws Error when the disk refuses */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
