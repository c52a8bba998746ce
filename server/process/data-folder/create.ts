import { mkdirSync } from "node:fs";
import { unusableVariable } from "@/server/env";

/** @throws EnvError where the data folder cannot be a folder */
export function createDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
  } catch (error) {
    throw unusableVariable("TRAILMARK_DATA_DIR", `${dataDir} cannot be created (${String(error)})`);
  }
}
