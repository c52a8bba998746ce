import { windowsOccurrence } from "@/agent/occurrence-id";
import type { Filters, LogProvider, LogRecord, Page, Reading } from "@/agent/providers/provider";
import { toEntry } from "@/agent/providers/provider";
import { matches } from "@/agent/providers/query";
import type { Descriptor, Entry } from "@/server/devices/live/schema";
import { DEVICE_EVENTS, draw } from "@/testing/world/device-events";
import type { Random } from "@/testing/world/random";

const EVENTS = DEVICE_EVENTS.windows;
export const CHANNELS = [...new Set(EVENTS.flatMap(({ channel }) => channel ?? []))];
/** Like a channel with a maximum size: the oldest are dropped. */
const MAX_RECORDS = 500;
const BYTES_PER_RECORD = 700;
const FIRST_GAP_MS = 90_000;

/** past: number of initial records. */
type Options = { name: string; computer: string; random: Random; past?: number };

/** A simulated channel: starts with a history, and gets events on request. */
export class MemoryLog implements LogProvider {
  readonly name: string;
  private readonly computer: string;
  private readonly random: Random;
  private records: LogRecord[] = [];
  private lastId = 0;

  constructor({ name, computer, random, past = 200 }: Options) {
    this.name = name;
    this.computer = computer;
    this.random = random;
    const now = Date.now();
    for (let n = past; n > 0; n--) this.happen(new Date(now - n * FIRST_GAP_MS));
  }

  /** Adds an event. @returns it, to be shipped. */
  happen(time = new Date()): LogRecord {
    const event = draw(
      EVENTS.filter(({ channel }) => channel === this.name),
      this.random,
    );
    const recordId = ++this.lastId;
    const record: LogRecord = {
      logName: this.name,
      recordId,
      occurrenceId: windowsOccurrence(this.name, String(recordId), time.toISOString()),
      time,
      level: event.level === "info" ? "information" : event.level,
      category: event.category,
      source: event.source,
      ...(event.number && { eventNumber: event.number }),
      message: event.message(this.random),
      computer: this.computer,
      user: null,
      details: { simulated: true },
    };
    this.records.push(record);
    if (this.records.length > MAX_RECORDS) this.records.shift();
    return record;
  }

  async read(since: string | undefined, max: number): Promise<Reading> {
    const after = this.records.filter((record) => record.recordId > Number(since ?? 0));
    const records = after.slice(0, max);
    return { records, watermark: String(records.at(-1)?.recordId ?? since ?? ""), more: after.length > max };
  }

  async describe(): Promise<Descriptor> {
    return {
      name: this.name,
      displayName: this.name,
      recordCount: this.records.length,
      maxSize: MAX_RECORDS * BYTES_PER_RECORD,
      retentionDays: 0,
      lastWriteTime: this.records.at(-1)?.time.toISOString() ?? "",
    };
  }

  async query(filters: Filters): Promise<Page> {
    const found = this.records.filter((record) => matches(record, filters)).reverse();
    const first = (filters.page - 1) * filters.limit;
    return { events: found.slice(first, first + filters.limit).map(toEntry), total: found.length };
  }

  async get(recordId: number): Promise<Entry | undefined> {
    const found = this.records.find((record) => record.recordId === recordId);
    return found && toEntry(found);
  }
}
