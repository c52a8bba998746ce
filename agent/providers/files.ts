import { type FileHandle, open, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename } from "node:path";
import { syslogCategory, syslogLevel, textLevel } from "@/agent/mapping";
import { fileOccurrence } from "@/agent/occurrence-id";
import type { Descriptor, Entry } from "@/server/devices/live/schema";
import {
  fromWatermark,
  generationLabel,
  type LogPart,
  NEWLINE,
  newestLines,
  type Position,
  readBytes,
  rotatedParts,
  startOf,
  toWatermark,
} from "./file-position";
import { type ParsedLine, parseLine } from "./parse-line";
import {
  BACKLOG_RECORDS,
  type Filters,
  type LogProvider,
  type LogRecord,
  MAX_SCANNED,
  type Page,
  type Reading,
  toEntry,
} from "./provider";
import { pageOfOldestFirst } from "./query";

/** Limit per reading, so that a batch stays far below the server's body limit. */
const READ_BYTES = 256 * 1024;

type Line = { text: string; offset: number };

/** At most max complete lines from an offset. A line that fills the whole reading is cut. */
async function readLines(file: FileHandle, offset: number, max: number): Promise<{ lines: Line[]; end: number }> {
  const block = await readBytes(file, READ_BYTES, offset);
  const lines: Line[] = [];
  let start = 0;
  while (lines.length < max && start < block.length) {
    const newline = block.indexOf(NEWLINE, start);
    if (newline < 0 && !(start === 0 && block.length === READ_BYTES)) break;
    const end = newline < 0 ? block.length : newline;
    const text = block.toString("utf8", start, end).trimEnd();
    if (text) lines.push({ text, offset: offset + start });
    start = newline < 0 ? end : newline + 1;
  }
  return { lines, end: offset + start };
}

/** Start of the first line at or after an offset. */
async function lineStart(file: FileHandle, offset: number): Promise<number> {
  if (offset <= 0) return 0;
  const newline = (await readBytes(file, 64 * 1024, offset - 1)).indexOf(NEWLINE);
  return newline < 0 ? offset : offset + newline;
}

/** A log file, the default program of its lines, and its facility. */
export type FileSource = { path: string; program: string; facility?: number };

/** Log files of Linux systems without a journal; missing ones are fine. */
export const SYSTEM_LOG_FILES: readonly FileSource[] = [
  { path: "/var/log/syslog", program: "syslog" },
  { path: "/var/log/messages", program: "syslog" },
  { path: "/var/log/auth.log", program: "auth", facility: 10 },
  { path: "/var/log/secure", program: "auth", facility: 10 },
  { path: "/var/log/kern.log", program: "kernel", facility: 0 },
  { path: "/var/log/dpkg.log", program: "dpkg" },
  { path: "/var/log/alternatives.log", program: "update-alternatives" },
];

/** Limit of a first run, also in bytes for long lines. */
const BACKLOG = { lines: BACKLOG_RECORDS, bytes: 8 * 1024 * 1024 };
/** Part of a huge file that live queries read. */
const SCANNED = { lines: MAX_SCANNED * 10, bytes: 32 * 1024 * 1024 };
const SCAN_BATCH = 5_000;
const LINES_LOST =
  "the file that was read last was emptied, removed or compressed: lines written to it after that reading may be missing";

/** Tails a log file across rotation, by rename or by copy and truncate. */
export class FileProvider implements LogProvider {
  readonly name: string;
  readonly key: string;

  constructor(
    private readonly source: FileSource,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.name = basename(source.path);
    this.key = source.path;
  }

  async read(since: string | undefined, max: number): Promise<Reading> {
    const file = await open(this.source.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    if (!file) return { records: [], watermark: since ?? "", more: false };
    try {
      return await this.readOpen(file, since, max);
    } finally {
      await file.close();
    }
  }

  private async readOpen(file: FileHandle, since: string | undefined, max: number): Promise<Reading> {
    const last = fromWatermark(since);
    const { size } = await file.stat();
    const from = await startOf(file);
    if (!last) {
      const offset = (await newestLines(file, size, BACKLOG)) ?? size;
      return from.generation ? this.take(file, { ...from, offset }, max) : { records: [], watermark: "", more: false };
    }
    const isSame = last.inode === from.inode && last.generation === from.generation;
    if (isSame && last.offset <= size) return this.take(file, last, max);
    if (!isSame) return this.readRotated({ file, from }, last, max);
    const reading = await this.take(file, { ...last, restarts: last.restarts + 1, offset: 0 }, max);
    return { ...reading, warning: LINES_LOST };
  }

  /** Reads files rotated since the last reading, one by one, then the log itself. */
  private async readRotated(log: LogPart, last: Position, max: number): Promise<Reading> {
    const { parts, isWhole } = await rotatedParts(this.source.path, last);
    const warning = isWhole ? {} : { warning: LINES_LOST };
    try {
      for (const { file, from } of parts) {
        const reading = await this.take(file, from, max);
        if (reading.records.length > 0 || reading.more) return { ...reading, more: true, ...warning };
      }
      if (!log.from.generation) return { records: [], watermark: toWatermark(last), more: false };
      return { ...(await this.take(log.file, log.from, max)), ...warning };
    } finally {
      await Promise.all(parts.map(({ file }) => file.close()));
    }
  }

  private async take(file: FileHandle, from: Position, max: number): Promise<Reading> {
    const { size, mtime, mtimeMs } = await file.stat();
    const { lines, end } = await readLines(file, from.offset, max);
    let fallbackTime = mtime;
    const records = lines.map(({ text, offset }) => {
      const parsed = parseLine(text, { program: this.source.program, fallbackTime, now: this.now() });
      fallbackTime = parsed.time;
      return this.toRecord(parsed, { ...from, offset });
    });
    const watermark = toWatermark({ ...from, offset: end, modified: mtimeMs });
    return { records, watermark, more: end > from.offset && end < size };
  }

  private toRecord(line: ParsedLine, at: Position): LogRecord {
    const { program, message, priority } = line;
    const facility = priority === null ? (this.source.facility ?? null) : priority >> 3;
    return {
      logName: basename(this.source.path),
      recordId: at.offset,
      occurrenceId: fileOccurrence({ inode: at.inode, generation: generationLabel(at), offset: at.offset }),
      time: line.time,
      level: priority === null ? textLevel(message) : syslogLevel(priority & 7),
      category: syslogCategory({ facility, isKernel: program === "kernel", program, message }),
      source: program,
      message,
      computer: line.host ?? hostname(),
      user: null,
      details: { path: this.source.path, ...(line.pid === null ? {} : { pid: line.pid }) },
    };
  }

  async describe(): Promise<Descriptor> {
    const { mtime } = await stat(this.source.path);
    const { from, searched } = await this.scannedPart();
    let recordCount = 0;
    for await (const _ of this.records(from)) recordCount++;
    return {
      name: this.name,
      displayName: this.source.path,
      recordCount,
      // The rotation size is configured in other programs.
      maxSize: 0,
      retentionDays: 0,
      lastWriteTime: mtime.toISOString(),
      ...searched,
    };
  }

  async query(filters: Filters): Promise<Page> {
    const { from, searched } = await this.scannedPart();
    const read = () => this.records(from);
    return { ...(await pageOfOldestFirst(read(), filters, read)), ...searched };
  }

  async get(recordId: number): Promise<Entry | undefined> {
    for await (const record of this.records(recordId))
      return record.recordId === recordId ? toEntry(record) : undefined;
    return undefined;
  }

  /** Offset of the newest part of the file, and its extent if it is not the whole. */
  private async scannedPart(): Promise<{ from: number; searched?: Pick<Page, "searched"> }> {
    const file = await open(this.source.path);
    try {
      const { size } = await file.stat();
      const from = (await newestLines(file, size, SCANNED)) ?? size - SCANNED.bytes;
      return from === 0 ? { from } : { from, searched: { searched: { bytes: size - from } } };
    } finally {
      await file.close();
    }
  }

  /** Records from the first line at or after an offset, oldest first. */
  private async *records(from: number): AsyncGenerator<LogRecord> {
    const file = await open(this.source.path);
    try {
      const { size } = await file.stat();
      const start = await startOf(file);
      if (!start.generation) return;
      for (let offset = await lineStart(file, from); offset < size; ) {
        const reading = await this.take(file, { ...start, offset }, SCAN_BATCH);
        yield* reading.records;
        if (!reading.more) return;
        offset = fromWatermark(reading.watermark)?.offset ?? size;
      }
    } finally {
      await file.close();
    }
  }
}
