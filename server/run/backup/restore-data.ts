import { createWriteStream, existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createFolder } from "@/db/embedded/create-folder";
import type { KeyFile } from "./sealed-keys";

/**
 * Brings files back into a data folder. What is there stays: checkpoints that were signed after the backup are the only
 * witnesses of what was lost, events in the spool are stored nowhere else, and a key is never replaced.
 */
export class DataReceiver {
  /** What was there already, by name. */
  readonly kept: string[] = [];

  constructor(private readonly dataDir: string) {}

  /** Where a file goes, or null when it is there. */
  #place(name: string): string | null {
    const path = join(this.dataDir, name);
    if (existsSync(path)) {
      this.kept.push(name);
      return null;
    }
    createFolder(dirname(path), 0o700);
    return path;
  }

  async put(name: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    const path = this.#place(name);
    if (path) await pipeline(bytes, createWriteStream(path, { mode: 0o600, flags: "wx" }));
  }

  putKeys(files: readonly KeyFile[]): void {
    for (const { name, content } of files) {
      const path = this.#place(name);
      if (path) writeFileSync(path, Buffer.from(content, "base64"), { mode: 0o600, flag: "wx", flush: true });
    }
  }
}
