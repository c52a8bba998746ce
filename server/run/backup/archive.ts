import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { extract, pack } from "tar-stream";
import { codeOf, ExpectedError, messageOf } from "@/db/thrown";

/** Thrown with a sentence for the operator; `expected` suppresses the stack. */
export class BackupError extends ExpectedError {}

/** A fault that an operator can fix, as a sentence; others unchanged. */
export function explained(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === "ENOSPC" || code === "EDQUOT")
    return new BackupError(`The disk of ${path} is full: no backup was written, and nothing is left of the attempt.`);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return new BackupError(`${path} cannot be written: ${messageOf(error)}`);
  if (code === "ENOENT") return new BackupError(`A file or folder is missing: ${messageOf(error)}`);
  return error;
}

/** A member in the manifest; sha256 in hex. */
export type Member = { name: string; size: number; sha256: string };

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle
    .sync()
    .catch((error: NodeJS.ErrnoException) => {
      // Some systems do not sync folders; the file itself is on disk.
      if (error.code !== "EINVAL" && error.code !== "EPERM") throw error;
    })
    .finally(() => handle.close());
}

/**
 * Writes a gzipped tar archive of mode 0600 under a temporary name, renamed once everything is on disk and checked:
 * readers never see a partial file, and no existing file is replaced by less.
 */
export class ArchiveWriter {
  readonly #partial: string;
  readonly #pack = pack();
  readonly #written: Promise<void>;

  constructor(private readonly file: string) {
    this.#partial = join(dirname(file), `.${basename(file)}.${randomBytes(4).toString("hex")}.partial`);
    const target = createWriteStream(this.#partial, { mode: 0o600, flags: "wx", flush: true });
    this.#written = pipeline(this.#pack, createGzip({ level: 1 }), target);
    this.#written.catch(() => {});
  }

  /**
   * Adds a member of exactly `size` bytes, cut or padded with zeros, because database files change size while being
   * read.
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
    // A full disk also ends the pack with another error; report the disk's.
    await added.catch((error: unknown) => this.#written.then(() => Promise.reject(error)));
    return { name, size, sha256: hash.digest("hex") };
  }

  addBytes(name: string, bytes: Uint8Array): Promise<Member> {
    return this.add(name, bytes.length, [bytes]);
  }

  /**
   * Ends the archive, waits for the disk and renames it, if `check` reads it without a fault.
   * @returns its size in bytes
   * @throws the errors of check, without renaming
   */
  async finish(check: (partial: string) => Promise<unknown>): Promise<number> {
    this.#pack.finalize();
    await this.#written;
    const { size } = await stat(this.#partial);
    await check(this.#partial);
    await rename(this.#partial, this.file);
    await syncFolder(dirname(this.file));
    return size;
  }

  /** Removes the partial archive. */
  async abort(): Promise<void> {
    this.#pack.destroy();
    await this.#written.catch(() => {});
    await rm(this.#partial, { force: true });
  }
}

/** A member being read: its bytes must be consumed before requesting the next. */
export type ReadMember = { name: string; size: number; body: AsyncIterable<Buffer> };

/** A reading fault as a sentence. */
const unreadable = (file: string, error: unknown): unknown => {
  const code = codeOf(error);
  if (code === "ENOENT") return new BackupError(`There is no file ${file}.`);
  if (code === "EISDIR") return new BackupError(`${file} is a folder, not a backup.`);
  if (code === "" || code.startsWith("Z_"))
    return new BackupError(`${file} is damaged, cut off or no backup: ${messageOf(error)}.`);
  return error;
};

/**
 * Members of an archive, in order.
 * @throws BackupError when the file is missing, damaged, cut off or of another type
 */
export async function* readArchive(file: string): AsyncGenerator<ReadMember, void> {
  const members = extract();
  const fed = pipeline(createReadStream(file), createGunzip(), members);
  fed.catch(() => {});
  async function* explain<T>(source: AsyncIterable<T>): AsyncGenerator<T, void> {
    try {
      yield* source;
    } catch (error) {
      // The first fault is that of the file or gzip; the member only sees the truncation.
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
