/** Headers of a tar archive (POSIX ustar), with GNU's binary sizes for members of 8 GiB and more. */

export const BLOCK = 512;
const MAX_OCTAL_SIZE = 8 * 1024 ** 3;
const NAME = { at: 0, length: 100 };
const PREFIX = { at: 345, length: 155 };
const SIZE = { at: 124, length: 12 };
const CHECKSUM = { at: 148, length: 8 };
const TYPE_AT = 156;
const FILE = "0";
const FOLDER = "5";

/** A member's name and size in bytes; a folder's name ends with a slash. */
export type Header = { name: string; size: number };

/** How many zero bytes fill a member's last block. */
export const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

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
export function writeHeader(header: Header): Buffer {
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
export function readHeader(block: Buffer): Header | null {
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
