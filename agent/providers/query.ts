import {
  type Filters,
  type LiveLogs,
  type LogProvider,
  type LogRecord,
  MAX_SCANNED,
  type Page,
  toEntry,
} from "./provider";

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** True if a record passes a query's filters. */
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

/** Number of records read, and the time of the last. */
export type Tally = { count: number; last?: Date };

/** Passes records on and counts them. */
export async function* counting(records: AsyncIterable<LogRecord>, tally: Tally): AsyncGenerator<LogRecord> {
  for await (const record of records) {
    tally.count++;
    tally.last = record.time;
    yield record;
  }
}

/** Matches numbered from `first` up to `end`, and the number of all. */
async function count(
  records: AsyncIterable<LogRecord>,
  filters: Filters,
  { first, end }: { first: number; end: number },
): Promise<{ found: LogRecord[]; total: number }> {
  const found: LogRecord[] = [];
  let total = 0;
  for await (const record of records) {
    if (!matches(record, filters)) continue;
    if (total >= first && total < end) found.push(record);
    total++;
  }
  return { found, total };
}

/** A page of a log read backwards. */
export async function pageOfNewestFirst(records: AsyncIterable<LogRecord>, filters: Filters): Promise<Page> {
  const end = filters.page * filters.limit;
  const { found, total } = await count(records, filters, { first: end - filters.limit, end });
  return { events: found.map(toEntry), total };
}

const SPARE = 5_000;

/**
 * A page of a log that can only be read forwards. Keeps only the pages up to it; a page past MAX_SCANNED records is
 * read again after counting, so that none must be kept.
 * @param again restarts reading the same records
 */
export async function pageOfOldestFirst(
  records: AsyncIterable<LogRecord>,
  filters: Filters,
  again: () => AsyncIterable<LogRecord>,
): Promise<Page> {
  const { page, limit } = filters;
  const wanted = page * limit;
  const isKept = wanted <= MAX_SCANNED;
  let newest: LogRecord[] = [];
  let total = 0;
  for await (const record of records) {
    if (!matches(record, filters)) continue;
    total++;
    if (isKept) newest.push(record);
    if (newest.length > 2 * wanted + SPARE) newest = newest.slice(-wanted);
  }
  const first = total - wanted;
  const found = isKept
    ? newest.reverse().slice(wanted - limit, wanted)
    : (await count(again(), filters, { first, end: first + limit })).found.reverse();
  return { events: found.map(toEntry), total };
}

/** Log by name, in any case. */
export const findLog = (logs: readonly LogProvider[], name: string): LogProvider | undefined =>
  logs.find((log) => log.name === name) ?? logs.find((log) => same(log.name, name));

/** Logs that do not change while the agent runs. */
export const fixedLogs = (logs: readonly LogProvider[]): LiveLogs => ({
  list: async () => logs,
  find: async (name) => findLog(logs, name),
});
