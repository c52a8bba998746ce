import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Where reading stopped. The generation is a digest of the file's first line: it survives a rename (rotation) and
 * changes when the file is emptied and written again, so that a byte offset always means the same line. restarts
 * counts the times the file was emptied and got the same first line again. modified is when the file had last been
 * written to, in milliseconds: what was rotated later has not been read. Marks of older agents are without it.
 */
export type Position = { inode: string; generation: string; restarts: number; offset: number; modified?: number };

const FIRST_LINE_BYTES = 1024;
const NEWLINE = 0x0a;

/** Digest of the first line; null while the file has none, so nothing to read either. */
async function generationOf(file: FileHandle): Promise<string | null> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(FIRST_LINE_BYTES), 0, FIRST_LINE_BYTES, 0);
  const newline = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
  if (newline < 0 && bytesRead < FIRST_LINE_BYTES) return null;
  const line = buffer.subarray(0, newline < 0 ? FIRST_LINE_BYTES : newline);
  return createHash("sha256").update(line).digest("hex").slice(0, 16);
}

/** The beginning of a file; its generation is empty while there is nothing to read. */
export async function startOf(file: FileHandle): Promise<Position> {
  const { ino, mtimeMs } = await file.stat();
  const generation = (await generationOf(file)) ?? "";
  return { inode: String(ino), generation, restarts: 0, offset: 0, modified: mtimeMs };
}

/** The generation as an occurrence id carries it. */
export const generationLabel = ({ generation, restarts }: Position): string =>
  restarts ? `${generation}.${restarts}` : generation;

export const toWatermark = (position: Position): string => JSON.stringify(position);

/** A stored watermark; undefined when its format is not ours. */
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

/** The offset at which the newest `lines` lines begin; undefined where they take more than so many bytes. */
export async function newestLines(
  file: FileHandle,
  size: number,
  { lines, bytes }: { lines: number; bytes: number },
): Promise<number | undefined> {
  let newlines = 0;
  for (let end = size; end > Math.max(0, size - bytes); ) {
    const start = Math.max(0, end - READ_BACK_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    for (let i = bytesRead - 1; i >= 0; i--) if (buffer[i] === NEWLINE && ++newlines > lines) return start + i + 1;
    end = start;
  }
  return size <= bytes ? 0 : undefined;
}

/** The ends of names that rotation gives: NAME.1, NAME-20260101. A copy that somebody made has another one. */
const ROTATED = /^[.-]\d[\d._T-]*$/;
const COMPRESSED = /\.(gz|xz|bz2|zst)$/;

/** An open file that holds lines of a log, and where to begin in it. */
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
 * The uncompressed files beside a log that hold what lies behind a position, oldest first, to be closed by the caller:
 * first the rest of the file that was read last, which is the same inode after a rename and has the same first line
 * after copy-and-truncate, then what was rotated after it. isWhole is false where that file is gone or compressed.
 */
export async function rotatedParts(path: string, last: Position): Promise<{ parts: LogPart[]; isWhole: boolean }> {
  const siblings = await siblingsOf(path);
  const sameLine = siblings.filter(({ from }) => from.generation === last.generation);
  const read = sameLine.find(({ from }) => from.inode === last.inode) ?? sameLine[0];
  const modifiedOf = ({ from }: LogPart) => from.modified ?? 0;
  const readUntil = read ? modifiedOf(read) : (last.modified ?? Number.POSITIVE_INFINITY);
  const isUnread = (sibling: Sibling) =>
    sibling !== read &&
    sibling.from.generation !== "" &&
    ROTATED.test(sibling.name.slice(basename(path).length)) &&
    modifiedOf(sibling) > readUntil;
  const newer = siblings.filter(isUnread).sort((a, b) => modifiedOf(a) - modifiedOf(b));
  const parts = [...(read ? [{ file: read.file, from: last }] : []), ...newer];
  const unused = siblings.filter(({ file }) => !parts.some((part) => part.file === file));
  await Promise.all(unused.map(({ file }) => file.close()));
  return { parts, isWhole: read !== undefined };
}
