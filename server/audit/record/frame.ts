import { crc32 } from "node:zlib";
import type { AuditInsert } from "@/server/audit/row";

/**
 * One spooled event a line: CRC-32 of the JSON in eight hex digits, a space, the JSON, a newline. JSON holds no raw
 * newline, so a torn or damaged line never takes its neighbours with it.
 */
export function encodeFrame(row: AuditInsert): string {
  const json = JSON.stringify(row);
  return `${crc32(json).toString(16).padStart(8, "0")} ${json}\n`;
}

const PREFIX = 9;
const NEWLINE = 0x0a;

/** The events of a segment in the order they were written; `damaged` counts lines that do not match their checksum. */
export function decodeFrames(bytes: Buffer): { rows: AuditInsert[]; damaged: number } {
  const rows: AuditInsert[] = [];
  let damaged = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found < 0 ? bytes.length : found;
    const json = bytes.subarray(start + PREFIX, end);
    const expected = bytes.toString("latin1", start, start + PREFIX - 1);
    if (found >= 0 && crc32(json).toString(16).padStart(8, "0") === expected)
      rows.push(JSON.parse(json.toString("utf8")));
    else damaged += 1;
    start = end + 1;
  }
  return { rows, damaged };
}
