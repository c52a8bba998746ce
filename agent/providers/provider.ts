import { type LiveLevel, toStoredLevel } from "@/agent/mapping";
import type { Descriptor, Entry, QueryParams, Searched } from "@/server/devices/live/schema";
import type { EventCategory, WireEvent } from "@/server/devices/logs/event-log-schema";

/** One entry of a log on this machine, in the words of the live channel; stored events are made from these. */
export type LogRecord = {
  logName: string;
  /** Identifies the entry within its log: a sequence number, a byte offset, a time in microseconds. */
  recordId: number;
  /** Identifies the entry permanently; the server deduplicates by it. */
  occurrenceId: string;
  time: Date;
  level: LiveLevel;
  category: EventCategory;
  source: string;
  /** The number of this kind of event; only Windows numbers them. */
  eventNumber?: number;
  message: string;
  computer: string | null;
  user: string | null;
  details: Record<string, unknown>;
  rawXml?: string;
};

/**
 * The entries behind a watermark: text that only its provider understands. A warning says what may be missing between the
 * two, for the agent's diagnostics.
 */
export type Reading = { records: LogRecord[]; watermark: string; more: boolean; warning?: string };
export type Filters = Omit<QueryParams, "logName">;
/** searched says what was looked at where that was not the whole log. */
export type Page = { events: Entry[]; total: number; searched?: Searched };

/** A log of this machine: its entries are shipped in order, and asked for live. */
export interface LogProvider {
  /** The log's name in live queries, and the one under which its watermark is kept unless `key` is given. */
  readonly name: string;
  /** Where two logs have the same name. */
  readonly key?: string;
  /** At most max entries after a watermark, oldest first; without one, the newest BACKLOG_RECORDS and onwards. */
  read(since: string | undefined, max: number): Promise<Reading>;
  /** @throws where the log is not there or may not be read. */
  describe(): Promise<Descriptor>;
  /** The matching entries of one page, newest first. */
  query(filters: Filters): Promise<Page>;
  get(recordId: number): Promise<Entry | undefined>;
}

/** The logs that can be asked for: all that there are now, or the one of a name in any case. */
export type LiveLogs = {
  list(): Promise<readonly LogProvider[]>;
  find(name: string): Promise<LogProvider | undefined>;
};

/** The logs of a machine: all that can be asked for, and those of them whose entries are sent. */
export type Logs = { live: LiveLogs; shipped: LogProvider[] };

/** How far back a first run goes in each log. */
export const BACKLOG_RECORDS = 1000;
/** How far back a log is read where a time is needed and none is known that can be right. */
export const LOOK_BACK_MS = 3_600_000;
/** The warning of a reading that starts there because its watermark lies ahead of now. */
export const CLOCK_SET_BACK =
  "the clock was set back since the last reading: reading starts again an hour before now, what is older may be missing";
/** Beyond so many entries of a log no reader pages; totals count up to here, and the answer says so. */
export const MAX_SCANNED = 100_000;
/** Longer messages are cut: half a megabyte on one line is of no use and fills a request. */
const MAX_MESSAGE_CHARACTERS = 32_768;

/** A record as PUT /agents/:id/eventlogs takes it. */
export function toWireEvent(record: LogRecord): WireEvent {
  const { logName, computer, user, eventNumber } = record;
  return {
    timestamp: record.time.toISOString(),
    level: toStoredLevel(record.level),
    category: record.category,
    source: record.source.slice(0, 127) || logName,
    eventId: record.occurrenceId,
    message: record.message.slice(0, MAX_MESSAGE_CHARACTERS),
    details: {
      log: logName,
      ...(eventNumber === undefined ? {} : { eventId: eventNumber }),
      ...(computer ? { computer } : {}),
      ...(user ? { user } : {}),
      ...record.details,
    },
  };
}

/** A record as a live query answers it. */
export function toEntry(record: LogRecord): Entry {
  return {
    recordId: record.recordId,
    timeCreated: record.time.toISOString(),
    level: record.level,
    source: record.source,
    eventId: record.eventNumber ?? 0,
    message: record.message.slice(0, MAX_MESSAGE_CHARACTERS),
    category: record.category,
    user: record.user,
    computer: record.computer ?? "",
    rawXml: record.rawXml ?? "",
  };
}
