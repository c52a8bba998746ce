import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { codeOf, messageOf } from "@/db/thrown";

/** Thrown with a sentence for the operator; `expected` means that no stack is printed. */
export class BackupError extends Error {
  readonly expected = true;
}

/** What an operator can do something about, in a sentence; anything else as it is. */
export function explained(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === "ENOSPC" || code === "EDQUOT")
    return new BackupError(`The disk of ${path} is full: no backup was written, and nothing is left of the attempt.`);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return new BackupError(`${path} cannot be written: ${messageOf(error)}`);
  if (code === "ENOENT") return new BackupError(`A file or folder is missing: ${messageOf(error)}`);
  return error;
}

/** Headers of a tar archive (POSIX ustar), with GNU's binary sizes for members of 8 GiB and more. */

const BLOCK = 512;
const MAX_OCTAL_SIZE = 8 * 1024 ** 3;
const NAME = { at: 0, length: 100 };
const PREFIX = { at: 345, length: 155 };
const SIZE = { at: 124, length: 12 };
const CHECKSUM = { at: 148, length: 8 };
const TYPE_AT = 156;
const FILE = "0";
const FOLDER = "5";

/** A member's name and size in bytes; a folder's name ends with a slash. */
type Header = { name: string; size: number };

/** How many zero bytes fill a member's last block. */
const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

const isFolder = (name: string): boolean => name.endsWith("/");

function splitName(name: string): { name: string; prefix: string } {
  if (Buffer.byteLength(name) <= NAME.length) return { name, prefix: "" };
  const slash = name.lastIndexOf("/", PREFIX.length);
  const [prefix, rest] = [name.slice(0, slash), name.slice(slash + 1)];
  if (slash < 1 || Buffer.byteLength(rest) > NAME.length || Buffer.byteLength(prefix) > PREFIX.length)
    throw new RangeError(`the name is too long for an archive: ${name}`);
  return { name: rest, prefix };
}

/** The sum of all bytes with the checksum's own eight as blanks. */
function sumOf(block: Buffer): number {
  let sum = 0;
  for (const [at, byte] of block.entries())
    sum += at >= CHECKSUM.at && at < CHECKSUM.at + CHECKSUM.length ? 0x20 : byte;
  return sum;
}

/** @throws RangeError for a name that no header holds */
function writeHeader(header: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  const { name, prefix } = splitName(header.name);
  block.write(name, NAME.at);
  block.write(prefix, PREFIX.at);
  block.write(isFolder(header.name) ? "0000700\0" : "0000600\0", 100);
  block.write("0000000\0", 108);
  block.write("0000000\0", 116);
  if (header.size < MAX_OCTAL_SIZE) block.write(`${header.size.toString(8).padStart(11, "0")}\0`, SIZE.at);
  else {
    block[SIZE.at] = 0x80;
    block.writeBigUInt64BE(BigInt(header.size), SIZE.at + SIZE.length - 8);
  }
  block.write("00000000000\0", 136);
  block.write(isFolder(header.name) ? FOLDER : FILE, TYPE_AT);
  block.write("ustar\x0000", 257, "latin1");
  block.write(`${sumOf(block).toString(8).padStart(6, "0")}\0 `, CHECKSUM.at);
  return block;
}

const textAt = (block: Buffer, { at, length }: { at: number; length: number }): string =>
  block.toString("utf8", at, at + length).replace(/\0.*$/s, "");

/** @returns the header, or null for the zero block that ends an archive. @throws RangeError for a block that is none */
function readHeader(block: Buffer): Header | null {
  if (block.every((byte) => byte === 0)) return null;
  if (Number.parseInt(textAt(block, CHECKSUM), 8) !== sumOf(block))
    throw new RangeError("a header's checksum is wrong");
  const isBinary = ((block[SIZE.at] ?? 0) & 0x80) !== 0;
  const size = isBinary
    ? Number(block.readBigUInt64BE(SIZE.at + SIZE.length - 8))
    : Number.parseInt(textAt(block, SIZE), 8);
  const prefix = textAt(block, PREFIX);
  return { name: prefix ? `${prefix}/${textAt(block, NAME)}` : textAt(block, NAME), size };
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
