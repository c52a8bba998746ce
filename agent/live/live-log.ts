import type { Descriptor, Entry, QueryParams } from "@/server/live-events/schema";
import type { LogRecord } from "../providers/provider";

/** Beyond so many entries of a log nobody pages; totals count up to here. */
export const MAX_SCANNED = 100_000;

export type Filters = Omit<QueryParams, "logName">;
export type Page = { events: Entry[]; total: number };

/** A log of this machine, as live queries see it. */
export interface LiveLog {
  readonly name: string;
  describe(): Promise<Descriptor>;
  /** The matching entries of one page, newest first. */
  query(filters: Filters): Promise<Page>;
  get(recordId: number): Promise<Entry | undefined>;
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Neither journal nor log files number their kinds of events. */
const EVENT_ID = 0;

/** Whether a record passes the filters of a query. */
export function matches(record: LogRecord, filters: Filters): boolean {
  const { level, source, startTime, endTime, eventId } = filters;
  return (
    (!level || record.level === level) &&
    (!source || same(record.source, source)) &&
    (!startTime || record.time.getTime() >= Date.parse(startTime)) &&
    (!endTime || record.time.getTime() <= Date.parse(endTime)) &&
    (eventId === undefined || eventId === EVENT_ID)
  );
}

/** A record as the server asks for it. */
export function toEntry(record: LogRecord): Entry {
  return {
    recordId: record.recordId,
    timeCreated: record.time.toISOString(),
    level: record.level,
    source: record.source,
    eventId: EVENT_ID,
    message: record.message,
    category: record.category,
    user: record.user,
    computer: record.computer ?? "",
    rawXml: "",
  };
}

/** The log of that name, in any case. */
export const findLog = (logs: readonly LiveLog[], name: string): LiveLog | undefined =>
  logs.find((log) => log.name === name) ?? logs.find((log) => same(log.name, name));
