import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Where reading stopped. The generation is a digest of the file's first line: it survives a rename (rotation) and
 * changes when the file is emptied and written again, so that a byte offset always means the same line. restarts
 * counts the times the file was emptied and got the same first line again.
 */
export type Position = { inode: string; generation: string; restarts: number; offset: number };

const FIRST_LINE_BYTES = 1024;
const NEWLINE = 0x0a;

/** Digest of the first line; null while the file has none, so nothing to read either. */
export async function generationOf(file: FileHandle): Promise<string | null> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(FIRST_LINE_BYTES), 0, FIRST_LINE_BYTES, 0);
  const newline = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
  if (newline < 0 && bytesRead < FIRST_LINE_BYTES) return null;
  const line = buffer.subarray(0, newline < 0 ? FIRST_LINE_BYTES : newline);
  return createHash("sha256").update(line).digest("hex").slice(0, 16);
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
/** Further back than this no first run reads, however long the lines are. */
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;

/** The offset at which the newest `lines` lines begin. */
export async function backlogOffset(file: FileHandle, size: number, lines: number): Promise<number> {
  let newlines = 0;
  for (let end = size; end > Math.max(0, size - MAX_BACKLOG_BYTES); ) {
    const start = Math.max(0, end - READ_BACK_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    for (let i = bytesRead - 1; i >= 0; i--) if (buffer[i] === NEWLINE && ++newlines > lines) return start + i + 1;
    end = start;
  }
  return size <= MAX_BACKLOG_BYTES ? 0 : size;
}

/**
 * The uncompressed sibling (NAME.1, NAME-20260101, …) in which a rotated file's lines are now: the same inode after a
 * rename, the same first line after copy-and-truncate.
 */
export async function findRotated(path: string, position: Position): Promise<FileHandle | undefined> {
  const name = basename(path);
  let copy: FileHandle | undefined;
  for (const sibling of await readdir(dirname(path))) {
    if (sibling === name || !sibling.startsWith(name) || /\.(gz|xz|bz2|zst)$/.test(sibling)) continue;
    const file = await open(join(dirname(path), sibling)).catch(() => undefined);
    if (!file) continue;
    const matches = (await generationOf(file)) === position.generation;
    const sameInode = String((await file.stat()).ino) === position.inode;
    if (matches && sameInode) {
      await copy?.close();
      return file;
    }
    if (matches && !copy) copy = file;
    else await file.close();
  }
  return copy;
}
