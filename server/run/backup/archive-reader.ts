import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { codeOf, messageOf } from "@/db/thrown";
import { BackupError } from "./backup-error";
import { BLOCK, type Header, padding, readHeader } from "./tar-header";

/** A member while it is read: its bytes must be taken before the next one is asked for. */
export type ReadMember = Header & { body: AsyncGenerator<Buffer, void> };

/** A fault of reading as a sentence. */
const unreadable = (file: string, error: unknown): unknown => {
  const code = codeOf(error);
  if (code === "ENOENT") return new BackupError(`There is no file ${file}.`);
  if (code === "EISDIR") return new BackupError(`${file} is a folder, not a backup.`);
  if (error instanceof RangeError || code.startsWith("Z_"))
    return new BackupError(`${file} is damaged, cut off or no backup: ${messageOf(error)}.`);
  return error;
};

/** Hands out exactly as many bytes as are asked for. */
class ExactReader {
  #rest: Buffer = Buffer.alloc(0);
  constructor(
    private readonly source: AsyncIterator<Buffer>,
    private readonly file: string,
  ) {}

  /** Up to `size` bytes; none at the end. */
  async some(size: number): Promise<Buffer> {
    if (this.#rest.length === 0) {
      const next = await this.source.next().catch((error: unknown) => {
        throw unreadable(this.file, error);
      });
      if (next.done) return Buffer.alloc(0);
      this.#rest = next.value;
    }
    const taken = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  async exactly(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = size; left > 0; ) {
      const part = await this.some(left);
      if (part.length === 0) throw unreadable(this.file, new RangeError("the archive ends early"));
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }

  async *stream(size: number): AsyncGenerator<Buffer, void> {
    for (let left = size; left > 0; ) {
      const part = await this.some(left);
      if (part.length === 0) throw unreadable(this.file, new RangeError("the archive ends early"));
      left -= part.length;
      yield part;
    }
  }
}

/**
 * The members of an archive in their order.
 * @throws BackupError when the file is missing, damaged, cut off or something else
 */
export async function* readArchive(file: string): AsyncGenerator<ReadMember, void> {
  const input = createReadStream(file);
  const gunzip = createGunzip();
  input.on("error", (error) => gunzip.destroy(error));
  try {
    const reader = new ExactReader(input.pipe(gunzip)[Symbol.asyncIterator]() as AsyncIterator<Buffer>, file);
    for (;;) {
      const header = readHeader(await reader.exactly(BLOCK));
      if (!header) return;
      const body = reader.stream(header.size);
      yield { ...header, body };
      for await (const _ of body);
      await reader.exactly(padding(header.size));
    }
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    input.destroy();
    gunzip.destroy();
  }
}
