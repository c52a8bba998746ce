import type { FileHandle } from "node:fs/promises";
import { open, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename } from "node:path";
import { syslogCategory, syslogLevel, textLevel } from "@/agent/mapping";
import { fileOccurrence } from "@/agent/occurrence-id";
import type { Descriptor, Entry } from "@/server/live-events/schema";
import { lineStart, readLines } from "./file-lines";
import {
  backlogOffset,
  findRotated,
  fromWatermark,
  generationLabel,
  generationOf,
  type Position,
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

/** A log file, the program that lines without one belong to, and the facility that the file stands for. */
export type FileSource = { path: string; program: string; facility?: number };

/** Where Linux systems without a journal keep their events; a file that does not exist (yet) is no fault. */
export const SYSTEM_LOG_FILES: readonly FileSource[] = [
  { path: "/var/log/syslog", program: "syslog" },
  { path: "/var/log/messages", program: "syslog" },
  { path: "/var/log/auth.log", program: "auth", facility: 10 },
  { path: "/var/log/secure", program: "auth", facility: 10 },
  { path: "/var/log/kern.log", program: "kernel", facility: 0 },
  { path: "/var/log/dpkg.log", program: "dpkg" },
  { path: "/var/log/alternatives.log", program: "update-alternatives" },
];

/** Of a huge file the newest part is enough for live queries. */
const MAX_SCANNED_BYTES = 32 * 1024 * 1024;
const SCAN_BATCH = 5_000;

/** Tails one log file over rotation, by rename or by copy and truncate. */
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
    const { ino, size } = await file.stat();
    const generation = await generationOf(file);
    const here = { inode: String(ino), generation: generation ?? "", restarts: 0, offset: 0 };
    const same = last && generation && last.inode === here.inode && last.generation === generation;
    if (same && last.offset <= size) return this.take(file, last, max);
    if (same) return this.take(file, { ...last, restarts: last.restarts + 1, offset: 0 }, max);
    const rest = last && (await this.readRotated(last, max));
    if (rest) return rest;
    if (!generation) return { records: [], watermark: since ?? "", more: false };
    const offset = last ? 0 : await backlogOffset(file, size, BACKLOG_RECORDS);
    return this.take(file, { ...here, offset }, max);
  }

  /** What the rotated file still held when it was renamed; undefined when it is gone or read to its end. */
  private async readRotated(last: Position, max: number): Promise<Reading | undefined> {
    const file = await findRotated(this.source.path, last);
    if (!file) return;
    try {
      const reading = await this.take(file, last, max);
      return reading.records.length > 0 ? { ...reading, more: true } : undefined;
    } finally {
      await file.close();
    }
  }

  private async take(file: FileHandle, from: Position, max: number): Promise<Reading> {
    const { size, mtime } = await file.stat();
    const { lines, end } = await readLines(file, from.offset, max);
    let fallbackTime = mtime;
    const records = lines.map(({ text, offset }) => {
      const parsed = parseLine(text, { program: this.source.program, fallbackTime, now: this.now() });
      fallbackTime = parsed.time;
      return this.toRecord(parsed, { ...from, offset });
    });
    return { records, watermark: toWatermark({ ...from, offset: end }), more: records.length > 0 && end < size };
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
    const { size, mtime } = await stat(this.source.path);
    let recordCount = 0;
    for await (const _ of this.records(-MAX_SCANNED_BYTES)) recordCount++;
    return {
      name: this.name,
      displayName: this.source.path,
      recordCount,
      maxSize: size,
      retentionDays: 0,
      lastWriteTime: mtime.toISOString(),
    };
  }

  query(filters: Filters): Promise<Page> {
    return pageOfOldestFirst(this.records(-MAX_SCANNED_BYTES), filters);
  }

  async get(recordId: number): Promise<Entry | undefined> {
    for await (const record of this.records(recordId))
      return record.recordId === recordId ? toEntry(record) : undefined;
    return undefined;
  }

  /** Records from an offset on, oldest first; from the end where it is negative. */
  private async *records(from: number): AsyncGenerator<LogRecord> {
    const file = await open(this.source.path);
    try {
      const { ino, size } = await file.stat();
      const generation = await generationOf(file);
      let offset = await lineStart(file, from < 0 ? size + from : from);
      if (!generation) return;
      for (let seen = 0; seen < MAX_SCANNED * 10 && offset < size; ) {
        const at = { inode: String(ino), generation, restarts: 0, offset };
        const reading = await this.take(file, at, SCAN_BATCH);
        yield* reading.records;
        seen += reading.records.length;
        const end = fromWatermark(reading.watermark)?.offset ?? offset;
        if (!reading.more || end === offset) return;
        offset = end;
      }
    } finally {
      await file.close();
    }
  }
}
