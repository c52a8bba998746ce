import { createHash } from "node:crypto";

/** Length of an eventId kept by the server. */
const MAX_LENGTH = 100;

const digest = (...parts: string[]): string => createHash("sha256").update(parts.join("\n")).digest("hex");

/** Record ids restart when a log is cleared, so the event's time is included; long channel names are hashed. */
export function windowsOccurrence(channel: string, recordId: string, timeCreated: string): string {
  const text = `${channel}:${recordId}:${timeCreated}`;
  return text.length <= MAX_LENGTH ? text : digest(channel, recordId, timeCreated);
}

/**
 * Boot id and sequence number of a journald cursor (`s=…;i=…;b=…;m=…;t=…;x=…`), hashed to fit; other cursors are hashed
 * whole.
 */
export function journaldOccurrence(cursor: string): string {
  const field = (name: string) => new RegExp(`(?:^|;)${name}=([^;=]+)`).exec(cursor)?.[1];
  const [boot, sequence] = [field("b"), field("i")];
  return digest(...(boot && sequence ? [boot, sequence] : [cursor]));
}

/** A line of a log file; the generation distinguishes the contents of an inode before and after truncation. */
export function fileOccurrence(line: { inode: string; generation: string; offset: number }): string {
  return `${line.inode}-${line.generation}-${line.offset}`;
}

/** The macOS unified log has no stable id. */
export function unifiedLogOccurrence(entry: { time: string; pid: number; thread: number; message: string }): string {
  return digest(entry.time, String(entry.pid), String(entry.thread), entry.message);
}
