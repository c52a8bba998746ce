import type { FileHandle } from "node:fs/promises";

/** One reading never takes more, so that a batch of events stays far below the server's body limit. */
const READ_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

type Line = { text: string; offset: number };

/** At most max complete lines from an offset. A line that fills the whole reading is cut there. */
export async function readLines(
  file: FileHandle,
  offset: number,
  max: number,
): Promise<{ lines: Line[]; end: number }> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, offset);
  const lines: Line[] = [];
  let start = 0;
  while (lines.length < max && start < bytesRead) {
    const newline = buffer.subarray(0, bytesRead).indexOf(NEWLINE, start);
    if (newline < 0 && !(start === 0 && bytesRead === READ_BYTES)) break;
    const end = newline < 0 ? bytesRead : newline;
    const text = buffer.toString("utf8", start, end).trimEnd();
    if (text) lines.push({ text, offset: offset + start });
    start = newline < 0 ? end : newline + 1;
  }
  return { lines, end: offset + start };
}

/** The first line that begins at or after an offset. */
export async function lineStart(file: FileHandle, offset: number): Promise<number> {
  if (offset <= 0) return 0;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, offset - 1);
  const newline = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
  return newline < 0 ? offset : offset + newline;
}
