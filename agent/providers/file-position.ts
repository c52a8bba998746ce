import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Position in a file. The generation is a digest of the first line: it survives renaming (rotation) and changes when
 * the file is rewritten, so that an offset always means the same line. restarts counts rewrites with the same first
 * line. modified is the file's mtime in milliseconds: files rotated later are unread.
 */
export type Position = { inode: string; generation: string; restarts: number; offset: number; modified: number };

const FIRST_LINE_BYTES = 1024;
export const NEWLINE = 0x0a;

/** At most so many bytes from an offset. */
export async function readBytes(file: FileHandle, bytes: number, offset: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset);
  return buffer.subarray(0, bytesRead);
}

/** Digest of the first line; null without one, when there is nothing to read either. */
async function generationOf(file: FileHandle): Promise<string | null> {
  const start = await readBytes(file, FIRST_LINE_BYTES, 0);
  const newline = start.indexOf(NEWLINE);
  if (newline < 0 && start.length < FIRST_LINE_BYTES) return null;
  const line = newline < 0 ? start : start.subarray(0, newline);
  return createHash("sha256").update(line).digest("hex").slice(0, 16);
}

/** Start of a file; its generation is empty while there is nothing to read. */
export async function startOf(file: FileHandle): Promise<Position> {
  const { ino, mtimeMs } = await file.stat();
  const generation = (await generationOf(file)) ?? "";
  return { inode: String(ino), generation, restarts: 0, offset: 0, modified: mtimeMs };
}

/** The generation in an occurrence id. */
export const generationLabel = ({ generation, restarts }: Position): string =>
  restarts ? `${generation}.${restarts}` : generation;

export const toWatermark = (position: Position): string => JSON.stringify(position);

/** Parses a stored watermark; undefined for another format. */
export function fromWatermark(text: string | undefined): Position | undefined {
  if (!text) return;
  try {
    const value: Position = JSON.parse(text);
    return typeof value.offset === "number" && value.generation ? value : undefined;
  } catch {
    return;
  }
}

const READ_BACK_BYTES = 64 * 1024;

/** Offset of the newest `lines` lines; undefined if they exceed the byte limit. */
export async function newestLines(
  file: FileHandle,
  size: number,
  { lines, bytes }: { lines: number; bytes: number },
): Promise<number | undefined> {
  let newlines = 0;
  for (let end = size; end > Math.max(0, size - bytes); ) {
    const start = Math.max(0, end - READ_BACK_BYTES);
    const block = await readBytes(file, end - start, start);
    for (let i = block.length - 1; i >= 0; i--) if (block[i] === NEWLINE && ++newlines > lines) return start + i + 1;
    end = start;
  }
  return size <= bytes ? 0 : undefined;
}

/** Suffixes of rotated files: NAME.1, NAME-20260101. Manual copies have different ones. */
const ROTATED = /^[.-]\d[\d._T-]*$/;
const COMPRESSED = /\.(gz|xz|bz2|zst)$/;

/** An open file with lines of a log, and the position to start at. */
export type LogPart = { file: FileHandle; from: Position };
type Sibling = LogPart & { name: string };

async function siblingsOf(path: string): Promise<Sibling[]> {
  const siblings: Sibling[] = [];
  for (const name of await readdir(dirname(path))) {
    if (name === basename(path) || !name.startsWith(basename(path)) || COMPRESSED.test(name)) continue;
    const file = await open(join(dirname(path), name)).catch(() => undefined);
    if (file) siblings.push({ file, name, from: await startOf(file) });
  }
  return siblings;
}

/**
 * Uncompressed files beside a log with lines after a position, oldest first, to be closed by the caller: the rest of
 * the last file read (same inode after a rename, same first line after copy-and-truncate), then files rotated later.
 * isWhole is false if that file is gone or compressed.
 */
export async function rotatedParts(path: string, last: Position): Promise<{ parts: LogPart[]; isWhole: boolean }> {
  const siblings = await siblingsOf(path);
  const sameLine = siblings.filter(({ from }) => from.generation === last.generation);
  const read = sameLine.find(({ from }) => from.inode === last.inode) ?? sameLine[0];
  const readUntil = (read?.from ?? last).modified;
  const isUnread = (sibling: Sibling) =>
    sibling !== read &&
    sibling.from.generation !== "" &&
    ROTATED.test(sibling.name.slice(basename(path).length)) &&
    sibling.from.modified > readUntil;
  const newer = siblings.filter(isUnread).sort((a, b) => a.from.modified - b.from.modified);
  const parts = [...(read ? [{ file: read.file, from: last }] : []), ...newer];
  const unused = siblings.filter(({ file }) => !parts.some((part) => part.file === file));
  await Promise.all(unused.map(({ file }) => file.close()));
  return { parts, isWhole: read !== undefined };
}
