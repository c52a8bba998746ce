import { closeSync, fsyncSync, openSync } from "node:fs";

/** Waits until what was made or removed in a folder is on the disk. @throws Error when the disk refuses */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
