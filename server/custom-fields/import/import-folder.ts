import { join } from "node:path";
import { env } from "@/server/ground/env";

/** Where an import's files are stored until it has run or has been discarded. */
export const importFolder = (id: string): string => join(env().TRAILMARK_DATA_DIR, "imports", id);
