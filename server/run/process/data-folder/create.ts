import { createFolder } from "@/db/embedded/create-folder";
import { unusableVariable } from "@/server/ground/env";

/** @throws EnvError where the data folder cannot be a folder */
export function createDataFolder(dataDir: string): void {
  try {
    createFolder(dataDir);
  } catch (error) {
    throw unusableVariable("TRAILMARK_DATA_DIR", `${dataDir} cannot be created (${String(error)})`);
  }
}
