import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { extract, pack } from "tar-stream";
import { codeOf, messageOf } from "@/db/thrown";

/** Thrown with a sentence for the operator; `expected` means that no stack is printed. */
export class BackupError extends Error {
  readonly expected = true;
}

/** A fault that an operator can mend, in a sentence; anything else as it is. */
export function explained(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === "ENOSPC" || code === "EDQUOT")
    return new BackupError(`The disk of ${path} is full: no backup was written, and nothing is left of the attempt.`);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return new BackupError(`${path} cannot be written: ${messageOf(error)}`);
  if (code === "ENOENT") return new BackupError(`A file or folder is missing: ${messageOf(error)}`);
  return error;
}

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
  readonly #pack = pack();
  readonly #written: Promise<void>;

  constructor(private readonly file: string) {
    this.#partial = join(dirname(file), `.${basename(file)}.${randomBytes(4).toString("hex")}.partial`);
    const target = createWriteStream(this.#partial, { mode: 0o600, flags: "wx" });
    this.#written = pipeline(this.#pack, createGzip({ level: 1 }), target);
    this.#written.catch(() => {});
  }

  /**
   * Adds a member of exactly `size` bytes: longer input is cut, shorter filled with zeros, for a database's files grow
   * and shrink while they are read.
   */
  async add(name: string, size: number, chunks: Chunks): Promise<Member> {
    const hash = createHash("sha256");
    async function* exactly() {
      let left = size;
      const take = (bytes: Uint8Array) => {
        hash.update(bytes);
        left -= bytes.length;
        return bytes;
      };
      for await (const chunk of chunks) {
        if (left === 0) return;
        yield take(chunk.subarray(0, left));
      }
      while (left > 0) yield take(new Uint8Array(Math.min(left, 1 << 20)));
    }
    const [type, mode] = name.endsWith("/") ? (["directory", 0o700] as const) : (["file", 0o600] as const);
    const member = this.#pack.entry({ name, size, type, mode, mtime: new Date(0) });
    const added = pipeline(exactly, member);
    // A full disk ends the pack with another error: report the disk's.
    await added.catch((error: unknown) => this.#written.then(() => Promise.reject(error)));
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
    this.#pack.finalize();
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
    this.#pack.destroy();
    await this.#written.catch(() => {});
    await rm(this.#partial, { force: true });
  }
}

/** A member while it is read: its bytes must be taken before the next one is asked for. */
export type ReadMember = { name: string; size: number; body: AsyncIterable<Buffer> };

/** A fault of reading as a sentence. */
const unreadable = (file: string, error: unknown): unknown => {
  const code = codeOf(error);
  if (code === "ENOENT") return new BackupError(`There is no file ${file}.`);
  if (code === "EISDIR") return new BackupError(`${file} is a folder, not a backup.`);
  if (code === "" || code.startsWith("Z_"))
    return new BackupError(`${file} is damaged, cut off or no backup: ${messageOf(error)}.`);
  return error;
};

/**
 * The members of an archive in their order.
 * @throws BackupError when the file is missing, damaged, cut off or something else
 */
export async function* readArchive(file: string): AsyncGenerator<ReadMember, void> {
  const members = extract();
  const fed = pipeline(createReadStream(file), createGunzip(), members);
  fed.catch(() => {});
  async function* explain<T>(source: AsyncIterable<T>): AsyncGenerator<T, void> {
    try {
      yield* source;
    } catch (error) {
      // The first fault is that of the file or of gzip; the member only knows that it was cut off.
      const cause = await fed.then(() => error).catch((first: unknown) => first);
      throw unreadable(file, cause);
    }
  }
  try {
    for await (const member of explain(members)) {
      const { name, size = 0 } = member.header;
      yield { name, size, body: explain(member) };
      member.resume();
    }
    await fed.catch((error: unknown) => Promise.reject(unreadable(file, error)));
  } finally {
    members.destroy();
  }
}
