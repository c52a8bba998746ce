import type { Descriptor, Entry } from "@/server/devices/live/schema";
import { COUNT, LIST_LOGS, READ_AFTER, READ_NEWEST, type RunScript, runPowerShell } from "./powershell";
import {
  BACKLOG_RECORDS,
  type Filters,
  type LogProvider,
  type LogRecord,
  type Logs,
  MAX_SCANNED,
  type Page,
  type Reading,
  toEntry,
} from "./provider";
import { findLog, matches } from "./query";
import { parseWindowsEvent, toWindowsRecord, toXPath } from "./windows-event";

/** Shipped if readable; Security needs administrator rights. */
const SHIPPED_CHANNELS = ["System", "Application", "Security"];
/** Minimum interval for listing channels again for an unknown name. */
const RELIST_MS = 30_000;
type Mark = { recordId: number; time: string };
type Found = { record: LogRecord; time: string };
type ListedLog = { LogName: string; RecordCount: number; MaximumSizeInBytes: number; LastWriteTime: string };

const toDescriptor = (log: ListedLog): Descriptor => ({
  name: log.LogName,
  displayName: log.LogName,
  recordCount: log.RecordCount,
  maxSize: log.MaximumSizeInBytes,
  retentionDays: 0,
  lastWriteTime: log.LastWriteTime,
});

/** Channels with entries, from one PowerShell; concurrent callers share it. */
function channelList(run: RunScript): () => Promise<Map<string, Descriptor>> {
  let asking: Promise<Map<string, Descriptor>> | null = null;
  const ask = async () => {
    const found = new Map<string, Descriptor>();
    for await (const line of run(LIST_LOGS, {}))
      if (line.startsWith("{")) {
        const listed: ListedLog = JSON.parse(line);
        found.set(listed.LogName, toDescriptor(listed));
      }
    return found;
  };
  return () => {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  };
}

/** A channel of the Windows event log, through Get-WinEvent. */
export class WindowsProvider implements LogProvider {
  constructor(
    readonly name: string,
    private readonly run: RunScript = runPowerShell,
    private readonly listChannels: () => Promise<Map<string, Descriptor>> = channelList(run),
  ) {}

  async read(since: string | undefined, max: number): Promise<Reading> {
    const mark: Mark | undefined = since ? JSON.parse(since) : undefined;
    if (!mark) return this.backlog(max);
    const found = await this.records(READ_AFTER, { after: mark.recordId, time: mark.time, max });
    return toReading(found, { since, more: found.length === max });
  }

  /**
   * The first reading finds the start of the newest BACKLOG_RECORDS: the log is read newest first, and the rest of a
   * batch after its watermark.
   */
  private async backlog(max: number): Promise<Reading> {
    const newest = (await this.records(READ_NEWEST, { xpath: "*", skip: 0, max: BACKLOG_RECORDS })).reverse();
    return toReading(newest.slice(0, max), { more: newest.length > max });
  }

  async describe(): Promise<Descriptor> {
    const found = (await this.listChannels()).get(this.name);
    if (!found) throw new Error(`${this.name} is empty or cannot be read`);
    return found;
  }

  async query(filters: Filters): Promise<Page> {
    const { page, limit } = filters;
    const xpath = toXPath(this.name, filters);
    const skip = (page - 1) * limit;
    const [records, total] = await Promise.all([
      skip < MAX_SCANNED ? this.records(READ_NEWEST, { xpath, skip, max: limit, xml: true }) : [],
      this.count(xpath),
    ]);
    const events = records.map(({ record }) => record).filter((record) => matches(record, filters));
    const isCapped = total >= MAX_SCANNED;
    return { events: events.map(toEntry), total, ...(isCapped ? { searched: { matches: total } } : {}) };
  }

  async get(recordId: number): Promise<Entry | undefined> {
    const xpath = `*[System[EventRecordID=${recordId}]]`;
    const [found] = await this.records(READ_NEWEST, { xpath, skip: 0, max: 1, xml: true });
    return found && toEntry(found.record);
  }

  private async records(script: string, parameters: object): Promise<Found[]> {
    const records: Found[] = [];
    for await (const line of this.run(script, { log: this.name, ...parameters })) {
      const event = parseWindowsEvent(line);
      if (event) records.push({ record: toWindowsRecord(event), time: event.TimeCreated });
    }
    return records;
  }

  private async count(xpath: string): Promise<number> {
    for await (const line of this.run(COUNT, { log: this.name, xpath, max: MAX_SCANNED }))
      if (/^\d+$/.test(line.trim())) return Number(line);
    return 0;
  }
}

/** The watermark keeps PowerShell's seven fractional digits, because watermarks compare as text. */
function toReading(found: Found[], { since = "", more }: { since?: string | undefined; more: boolean }): Reading {
  const last = found.at(-1);
  const mark = last && JSON.stringify({ recordId: last.record.recordId, time: last.time } satisfies Mark);
  return { records: found.map(({ record }) => record), watermark: mark ?? since, more };
}

/** Any channel with entries can be queried, even if it had none at startup; the three important ones are shipped. */
export async function findWindowsLogs(
  run: RunScript = runPowerShell,
  now: () => number = () => performance.now(),
): Promise<Logs> {
  const ask = channelList(run);
  let known: LogProvider[] = [];
  let askedAt = 0;
  const list = async () => {
    const channels = await ask().finally(() => {
      askedAt = now();
    });
    known = [...channels.keys()].map((name) => new WindowsProvider(name, run, async () => channels));
    return known;
  };
  const find = async (name: string) => {
    const log = findLog(known, name);
    return log || now() - askedAt < RELIST_MS ? log : findLog(await list(), name);
  };
  await list();
  return { live: { list, find }, shipped: SHIPPED_CHANNELS.map((name) => new WindowsProvider(name, run, ask)) };
}
