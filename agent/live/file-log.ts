import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import type { Descriptor, Entry } from "@/server/live-events/schema";
import { generationOf, toWatermark } from "../providers/file-position";
import { FileProvider, type FileSource } from "../providers/files";
import type { LogRecord } from "../providers/provider";
import { type Filters, type LiveLog, MAX_SCANNED, matches, type Page, toEntry } from "./live-log";

/** Of a huge file the newest part is enough. */
const MAX_SCANNED_BYTES = 32 * 1024 * 1024;
const BATCH = 5_000;
const NEWLINE = 0x0a;

/** The first line that begins at or after an offset. */
async function lineStart(file: FileHandle, offset: number): Promise<number> {
  if (offset <= 0) return 0;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, offset - 1);
  const newline = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
  return newline < 0 ? offset : offset + newline;
}

/** One log file; a record's id is the byte at which its line begins. */
export class FileLog implements LiveLog {
  readonly name: string;
  private readonly provider: FileProvider;

  constructor(private readonly source: FileSource) {
    this.name = basename(source.path);
    this.provider = new FileProvider(source);
  }

  async describe(): Promise<Descriptor> {
    const file = await open(this.source.path);
    try {
      const { size, mtime } = await file.stat();
      return {
        name: this.name,
        displayName: this.source.path,
        recordCount: await this.count(),
        maxSize: size,
        retentionDays: 0,
        lastWriteTime: mtime.toISOString(),
      };
    } finally {
      await file.close();
    }
  }

  async query(filters: Filters): Promise<Page> {
    const { page, limit } = filters;
    const wanted = page * limit;
    let newest: LogRecord[] = [];
    let total = 0;
    for await (const record of this.records(-MAX_SCANNED_BYTES)) {
      if (!matches(record, filters)) continue;
      total++;
      newest.push(record);
      if (newest.length > 2 * wanted + BATCH) newest = newest.slice(-wanted);
    }
    const events = newest
      .reverse()
      .slice(wanted - limit, wanted)
      .map(toEntry);
    return { events, total };
  }

  async get(recordId: number): Promise<Entry | undefined> {
    for await (const record of this.records(recordId))
      return record.recordId === recordId ? toEntry(record) : undefined;
    return undefined;
  }

  private async count(): Promise<number> {
    let total = 0;
    for await (const _ of this.records(-MAX_SCANNED_BYTES)) total++;
    return total;
  }

  /** Records from an offset on, oldest first; from the end where it is negative. Its lines are the provider's. */
  private async *records(from: number): AsyncGenerator<LogRecord> {
    const file = await open(this.source.path);
    let watermark: string;
    try {
      const { ino, size } = await file.stat();
      const generation = await generationOf(file);
      const offset = await lineStart(file, from < 0 ? size + from : from);
      if (!generation || offset >= size) return;
      watermark = toWatermark({ inode: String(ino), generation, restarts: 0, offset });
    } finally {
      await file.close();
    }
    for (let seen = 0; seen < MAX_SCANNED * 10; ) {
      const reading = await this.provider.read(watermark, BATCH);
      yield* reading.records;
      seen += reading.records.length;
      if (!reading.more || reading.watermark === watermark) return;
      watermark = reading.watermark;
    }
  }
}
