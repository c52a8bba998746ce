import { unifiedLogCategory, unifiedLogLevel } from "@/agent/mapping";
import { unifiedLogOccurrence } from "@/agent/occurrence-id";
import type { Descriptor, Entry, Searched } from "@/server/devices/live/schema";
import { linesOf } from "./lines-of";
import {
  BACKLOG_RECORDS,
  CLOCK_SET_BACK,
  type Filters,
  LOOK_BACK_MS,
  type LogProvider,
  type LogRecord,
  MAX_SCANNED,
  type Page,
  type Reading,
  toEntry,
} from "./provider";
import { counting, pageOfOldestFirst, type Tally } from "./query";

/** An entry as printed by `log show --style ndjson`. */
type UnifiedEntry = {
  timestamp: string;
  messageType?: string;
  eventMessage?: string;
  subsystem?: string;
  category?: string;
  processImagePath?: string;
  processID?: number;
  threadID?: number;
  userID?: number;
};

/** A Mac writes thousands of entries a second, so only failures and security entries are shipped. */
const SHIPPED =
  'messageType == error OR messageType == fault OR subsystem == "com.apple.securityd" OR process == "opendirectoryd" OR process == "authd"';

/** `2026-11-20 10:00:00.123456+0100` in microseconds since 1970. */
export function microsecondsOf(timestamp: string): number {
  const m = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?([+-]\d\d):?(\d\d)$/.exec(timestamp);
  if (!m) return Number.NaN;
  return Date.parse(`${m[1]}T${m[2]}${m[4]}:${m[5]}`) * 1000 + Number((m[3] ?? "0").padEnd(6, "0"));
}

/** An entry of the unified log; null for the final line. */
export function toUnifiedRecord(line: string): LogRecord | null {
  if (!line.startsWith("{")) return null;
  const entry: UnifiedEntry = JSON.parse(line);
  const micros = microsecondsOf(entry.timestamp ?? "");
  if (Number.isNaN(micros)) return null;
  const { subsystem = "", eventMessage: message = "", processID: pid = 0, threadID: thread = 0 } = entry;
  const program = entry.processImagePath?.split("/").pop() || "unknown";
  return {
    logName: "unified",
    recordId: micros,
    occurrenceId: unifiedLogOccurrence({ time: entry.timestamp, pid, thread, message }),
    time: new Date(Math.floor(micros / 1000)),
    level: unifiedLogLevel(entry.messageType ?? "Default"),
    category: unifiedLogCategory(subsystem, program, message),
    source: program,
    message,
    computer: null,
    user: entry.userID === undefined ? null : String(entry.userID),
    details: { pid, ...(subsystem ? { subsystem } : {}), ...(entry.category ? { category: entry.category } : {}) },
  };
}

const seconds = (micros: number): number => Math.floor(micros / 1_000_000);

/** A time in microseconds and the number of entries read of that instant, which several may share. */
function markAfter(records: LogRecord[], from: number, done: number): string {
  const last = records.at(-1)?.recordId ?? from;
  const shared = records.filter((record) => record.recordId === last).length;
  return `${last}:${last === from ? done + shared : shared}`;
}

/** Searched part of a limited reading from a second on: the last entry's time is its end. */
const timeSearched = (from: number, { count, last }: Tally): Searched => ({
  from: new Date(from * 1000).toISOString(),
  ...(count < MAX_SCANNED ? {} : { to: last?.toISOString() }),
});

/** The macOS unified log, through `log show`. */
export class UnifiedLogProvider implements LogProvider {
  readonly name = "unified";

  constructor(
    private readonly command = "/usr/bin/log",
    private readonly now: () => Date = () => new Date(),
  ) {}

  /**
   * Without a start `log show` reads days, so a first run looks back LOOK_BACK_MS. Future entries were written before
   * the clock was set back; they wait, so that the watermark never passes the clock.
   */
  async read(since: string | undefined, max: number): Promise<Reading> {
    const now = this.now().getTime() * 1000;
    const [mark, read = 0] = since?.split(":").map(Number) ?? [];
    const isAhead = mark !== undefined && mark > now;
    const [from, done] = mark === undefined || isAhead ? [now - LOOK_BACK_MS * 1000, 0] : [mark, read];
    const found: LogRecord[] = [];
    let atMark = 0;
    for await (const record of this.records(seconds(from), undefined, SHIPPED)) {
      if (record.recordId < from || record.recordId > now || (record.recordId === from && atMark++ < done)) continue;
      found.push(record);
      if (since && found.length > max) break;
      if (found.length > BACKLOG_RECORDS) found.shift();
    }
    const records = found.slice(0, max);
    const reading = { records, watermark: markAfter(records, from, done), more: found.length > max };
    return isAhead ? { ...reading, warning: CLOCK_SET_BACK } : reading;
  }

  async describe(): Promise<Descriptor> {
    const tally: Tally = { count: 0 };
    const from = seconds(this.now().getTime() * 1000 - LOOK_BACK_MS * 1000);
    for await (const _ of counting(this.records(from, undefined), tally));
    return {
      name: this.name,
      displayName: "Unified log (last hour)",
      recordCount: tally.count,
      maxSize: 0,
      retentionDays: 0,
      lastWriteTime: tally.last?.toISOString() ?? "",
      searched: timeSearched(from, tally),
    };
  }

  /** Without a start, searches the last hour before the end. */
  async query(filters: Filters): Promise<Page> {
    const { startTime, endTime } = filters;
    const tally: Tally = { count: 0 };
    const end = endTime ? Date.parse(endTime) : this.now().getTime();
    const from = Math.floor((startTime ? Date.parse(startTime) : end - LOOK_BACK_MS) / 1000);
    const to = endTime ? Math.ceil(end / 1000) + 1 : undefined;
    const read = () => this.records(from, to);
    const page = await pageOfOldestFirst(counting(read(), tally), filters, read);
    const isWhole = startTime && tally.count < MAX_SCANNED;
    return isWhole ? page : { ...page, searched: timeSearched(from, tally) };
  }

  async get(recordId: number): Promise<Entry | undefined> {
    const from = seconds(recordId);
    for await (const record of this.records(from, from + 1)) if (record.recordId === recordId) return toEntry(record);
    return undefined;
  }

  /** Oldest first; from and to are seconds since 1970. */
  private async *records(from: number, to: number | undefined, predicate?: string): AsyncGenerator<LogRecord> {
    const args = ["show", "--style", "ndjson", "--info", "--start", `@${from}`];
    if (to !== undefined) args.push("--end", `@${to}`);
    if (predicate) args.push("--predicate", predicate);
    let seen = 0;
    for await (const line of linesOf(this.command, args)) {
      const record = toUnifiedRecord(line);
      if (record) yield record;
      if (record && ++seen >= MAX_SCANNED) return;
    }
  }
}
