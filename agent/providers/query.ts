import type { Filters, LogProvider, LogRecord, Page } from "./provider";
import { toEntry } from "./provider";

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Whether a record passes the filters of a query. */
export function matches(record: LogRecord, filters: Filters): boolean {
  const { level, source, startTime, endTime, eventId } = filters;
  return (
    (!level || record.level === level) &&
    (!source || same(record.source, source)) &&
    (!startTime || record.time.getTime() >= Date.parse(startTime)) &&
    (!endTime || record.time.getTime() <= Date.parse(endTime)) &&
    (eventId === undefined || eventId === (record.eventNumber ?? 0))
  );
}

/** How many records were read, and when the last of them was. */
export type Tally = { count: number; last?: Date };

/** Passes records on and counts them. */
export async function* counting(records: AsyncIterable<LogRecord>, tally: Tally): AsyncGenerator<LogRecord> {
  for await (const record of records) {
    tally.count++;
    tally.last = record.time;
    yield record;
  }
}

/** One page of a log that is read from its newest entry back. */
export async function pageOfNewestFirst(records: AsyncIterable<LogRecord>, filters: Filters): Promise<Page> {
  const first = (filters.page - 1) * filters.limit;
  const page: LogRecord[] = [];
  let total = 0;
  for await (const record of records) {
    if (!matches(record, filters)) continue;
    if (total >= first && page.length < filters.limit) page.push(record);
    total++;
  }
  return { events: page.map(toEntry), total };
}

const SPARE = 5_000;

/** One page of a log that can only be read forwards; no more than the pages up to it are kept. */
export async function pageOfOldestFirst(records: AsyncIterable<LogRecord>, filters: Filters): Promise<Page> {
  const { page, limit } = filters;
  const wanted = page * limit;
  let newest: LogRecord[] = [];
  let total = 0;
  for await (const record of records) {
    if (!matches(record, filters)) continue;
    total++;
    newest.push(record);
    if (newest.length > 2 * wanted + SPARE) newest = newest.slice(-wanted);
  }
  const events = newest
    .reverse()
    .slice(wanted - limit, wanted)
    .map(toEntry);
  return { events, total };
}

/** The log of that name, in any case. */
export const findLog = (logs: readonly LogProvider[], name: string): LogProvider | undefined =>
  logs.find((log) => log.name === name) ?? logs.find((log) => same(log.name, name));
