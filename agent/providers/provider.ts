import type { EventCategory, WireEvent } from "@/server/event-logs/schema";
import { type LiveLevel, toStoredLevel } from "../mapping";

/** One entry of a log on this machine, in the words of the live channel; a stored event is made of it. */
export type LogRecord = {
  logName: string;
  /** Identifies the entry within its log: a sequence number or a byte offset. */
  recordId: number;
  /** Identifies the entry for ever; the server deduplicates by it. */
  occurrenceId: string;
  time: Date;
  level: LiveLevel;
  category: EventCategory;
  source: string;
  message: string;
  computer: string | null;
  user: string | null;
  details: Record<string, unknown>;
};

/** What lies behind a watermark: text that only its provider understands. */
export type Reading = { records: LogRecord[]; watermark: string; more: boolean };

/** A log of this machine. */
export interface LogProvider {
  /** Under this name the watermark is kept. */
  readonly name: string;
  /** At most max entries after a watermark, oldest first; without one, the newest BACKLOG_RECORDS and onwards. */
  read(since: string | undefined, max: number): Promise<Reading>;
}

/** How far back a first run goes in each log. */
export const BACKLOG_RECORDS = 1000;
/** Longer messages are cut: half a megabyte on one line helps nobody and fills a request. */
const MAX_MESSAGE_CHARACTERS = 32_768;

/** A record as PUT /agents/:id/eventlogs takes it. */
export function toWireEvent(record: LogRecord): WireEvent {
  const { logName, computer, user } = record;
  return {
    timestamp: record.time.toISOString(),
    level: toStoredLevel(record.level),
    category: record.category,
    source: record.source.slice(0, 127) || logName,
    eventId: record.occurrenceId,
    message: record.message.slice(0, MAX_MESSAGE_CHARACTERS),
    details: { log: logName, ...(computer ? { computer } : {}), ...(user ? { user } : {}), ...record.details },
  };
}
