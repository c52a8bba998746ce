import { closeSync, createReadStream, existsSync, fsyncSync, openSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFolder } from "@/db/embedded/create-folder";
import { syncFolder } from "@/db/embedded/sync-folder";
import type { AuditInsert } from "@/server/audit/row";
import { log } from "@/server/ground/log";
import { encodeFrame } from "./segment";

export const DEAD_LETTER_FILE = "dead-letter.log";
const MAX_BYTES = 512 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Events that the database refused for good, kept for the operator in lines like the spool's. */
export class DeadLetters {
  readonly #path: string;
  #count = 0;

  /** @param root the spool's folder */
  constructor(root: string) {
    this.#path = join(root, DEAD_LETTER_FILE);
    void this.#countEarlier();
  }

  /** Events in the file, from earlier processes too; 0 after the file was removed. */
  get count(): number {
    if (this.#count > 0 && !existsSync(this.#path)) this.#count = 0;
    return this.#count;
  }

  /**
   * Adds an event and waits for the disk.
   * @returns false if the disk refuses or the file is full; the event must then stay where it is
   */
  keep(row: AuditInsert): boolean {
    try {
      if ((statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0) >= MAX_BYTES)
        throw new Error(`${DEAD_LETTER_FILE} is full`);
      this.#append(Buffer.from(encodeFrame(row)));
      this.#count += 1;
      return true;
    } catch (error) {
      log.error({ err: error, orgId: row.orgId, id: row.id }, "a refused audit event could not be kept aside");
      return false;
    }
  }

  #append(bytes: Buffer): void {
    createFolder(dirname(this.#path), 0o700);
    const isNew = statSync(this.#path, { throwIfNoEntry: false }) === undefined;
    const fd = openSync(this.#path, "a", 0o600);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    if (isNew) syncFolder(dirname(this.#path));
  }

  async #countEarlier(): Promise<void> {
    try {
      const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
      if (size === 0) return;
      for await (const chunk of createReadStream(this.#path, { end: size - 1 }))
        for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) this.#count += 1;
    } catch (error) {
      log.warn({ err: error }, "the refused audit events could not be counted");
    }
  }
}
