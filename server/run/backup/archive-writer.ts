import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { BLOCK, padding, writeHeader } from "./tar-header";

/** A member as the manifest names it; sha256 in hex. */
export type Member = { name: string; size: number; sha256: string };

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle
    .sync()
    .catch((error: NodeJS.ErrnoException) => {
      // Some systems do not sync folders; the file itself is on the disk.
      if (error.code !== "EINVAL" && error.code !== "EPERM") throw error;
    })
    .finally(() => handle.close());
}

/**
 * Writes a gzipped tar archive of mode 0600 under a temporary name, which becomes the wanted one when everything is on
 * the disk and was checked: no reader ever sees half of it, and an existing file is never replaced by less.
 */
export class ArchiveWriter {
  readonly #partial: string;
  readonly #gzip = createGzip({ level: 1 });
  readonly #written: Promise<void>;
  #failed: unknown;

  constructor(private readonly file: string) {
    this.#partial = join(dirname(file), `.${basename(file)}.${randomBytes(4).toString("hex")}.partial`);
    this.#written = pipeline(this.#gzip, createWriteStream(this.#partial, { mode: 0o600, flags: "wx" }));
    this.#written.catch((error: unknown) => {
      this.#failed = error;
    });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#failed) throw this.#failed;
    if (this.#gzip.write(bytes)) return;
    const gone = this.#written.then(() => Promise.reject(new Error("the archive ended early")));
    gone.catch(() => {});
    await Promise.race([once(this.#gzip, "drain"), gone]);
  }

  /**
   * Adds a member of exactly `size` bytes: what is longer is cut, what is shorter filled with zeros, for a database's
   * files grow and shrink while they are read.
   */
  async add(name: string, size: number, chunks: Chunks): Promise<Member> {
    const hash = createHash("sha256");
    await this.#write(writeHeader({ name, size }));
    let left = size;
    const put = async (bytes: Uint8Array) => {
      hash.update(bytes);
      left -= bytes.length;
      await this.#write(bytes);
    };
    for await (const chunk of chunks) {
      if (left === 0) break;
      await put(chunk.length > left ? chunk.subarray(0, left) : chunk);
    }
    while (left > 0) await put(new Uint8Array(Math.min(left, 1 << 20)));
    const fill = padding(size);
    if (fill > 0) await this.#write(new Uint8Array(fill));
    return { name, size, sha256: hash.digest("hex") };
  }

  addBytes(name: string, bytes: Uint8Array): Promise<Member> {
    return this.add(name, bytes.length, [bytes]);
  }

  /**
   * Ends the archive, waits for the disk and gives it its name, once `check` has read it and found nothing wrong.
   * @returns its size in bytes
   * @throws what check throws; the archive has no name then
   */
  async finish(check: (partial: string) => Promise<unknown>): Promise<number> {
    await this.#write(new Uint8Array(2 * BLOCK));
    this.#gzip.end();
    await this.#written;
    const handle = await open(this.#partial, "r+");
    await handle.sync().finally(() => handle.close());
    const { size } = await stat(this.#partial);
    await check(this.#partial);
    await rename(this.#partial, this.file);
    await syncFolder(dirname(this.file));
    return size;
  }

  /** Leaves nothing behind. */
  async abort(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => {});
    await rm(this.#partial, { force: true });
  }
}
