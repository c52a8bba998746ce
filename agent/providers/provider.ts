import { type LiveLevel, toStoredLevel } from "@/agent/mapping";
import type { Descriptor, Entry, QueryParams, Searched } from "@/server/devices/live/schema";
import type { EventCategory, WireEvent } from "@/server/devices/logs/event-log-schema";

/** A log entry of this machine, in live channel terms; stored events derive from it. */
export type LogRecord = {
  logName: string;
  /** Number of the entry within its log: a sequence, a byte offset, a time in microseconds. */
  recordId: number;
  /** Permanent id of the entry, used by the server for deduplication. */
  occurrenceId: string;
  time: Date;
  level: LiveLevel;
  category: EventCategory;
  source: string;
  /** Number of the event type; only Windows has one. */
  eventNumber?: number;
  message: string;
  computer: string | null;
  user: string | null;
  details: Record<string, unknown>;
  rawXml?: string;
};

/**
 * Entries after a watermark, which only its provider can parse. A warning reports possible gaps, for the agent's
 * diagnostics.
 */
export type Reading = { records: LogRecord[]; watermark: string; more: boolean; warning?: string };
export type Filters = Omit<QueryParams, "logName">;
/** searched describes the part that was searched, if not the whole log. */
export type Page = { events: Entry[]; total: number; searched?: Searched };

/** A log of this machine, shipped in order and queried live. */
export interface LogProvider {
  /** Name in live queries, and key of the watermark unless `key` is set. */
  readonly name: string;
  /** For logs with equal names. */
  readonly key?: string;
  /** At most max entries after a watermark, oldest first; without one, starting with the newest BACKLOG_RECORDS. */
  read(since: string | undefined, max: number): Promise<Reading>;
  /** @throws if the log is missing or unreadable. */
  describe(): Promise<Descriptor>;
  /** Matches of one page, newest first. */
  query(filters: Filters): Promise<Page>;
  get(recordId: number): Promise<Entry | undefined>;
}

/** Logs available for queries: all current ones, or one by name in any case. */
export type LiveLogs = {
  list(): Promise<readonly LogProvider[]>;
  find(name: string): Promise<LogProvider | undefined>;
};

/** Logs of a machine: those available for queries, and those shipped. */
export type Logs = { live: LiveLogs; shipped: LogProvider[] };

/** Entries of each log read on a first run. */
export const BACKLOG_RECORDS = 1000;
/** How far back to read when a time is needed but none is reliable. */
export const LOOK_BACK_MS = 3_600_000;
/** Warning of a reading that starts there because its watermark is in the future. */
export const CLOCK_SET_BACK =
  "the clock was set back since the last reading: reading starts again an hour before now, what is older may be missing";
/** Maximum entries paged and counted; the answer states the limit. */
export const MAX_SCANNED = 100_000;
/** Longer messages are cut: half a megabyte on one line is useless and fills a request. */
const MAX_MESSAGE_CHARACTERS = 32_768;

/** A record for PUT /agents/:id/eventlogs. */
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

/** A record for a live query's answer. */
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
