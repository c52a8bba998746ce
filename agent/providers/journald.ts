import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Descriptor, Entry } from "@/server/devices/live/schema";
import { fieldText, parseEntry, toRecord } from "./journal-entry";
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
import { counting, pageOfNewestFirst, type Tally } from "./query";
import { shortLines } from "./short-lines";

type Mark = { cursor: string; time: number };

/** Limit per reading, so that a batch stays far below the server's body limit. */
const READ_CHARACTERS = 1024 * 1024;
const PROBE_TIMEOUT_MS = 10_000;
const FIELDS =
  "MESSAGE,PRIORITY,SYSLOG_FACILITY,SYSLOG_IDENTIFIER,_COMM,_PID,_UID,_TRANSPORT,_SYSTEMD_UNIT,_HOSTNAME,MESSAGE_ID";

const run = promisify(execFile);

/** journalctl takes whole seconds; the filters are exact. */
function timeRange({ startTime, endTime }: Partial<Filters>): string[] {
  return [
    ...(startTime ? [`--since=@${Math.floor(Date.parse(startTime) / 1000)}`] : []),
    ...(endTime ? [`--until=@${Math.ceil(Date.parse(endTime) / 1000)}`] : []),
  ];
}

/** Entries of all files in the output of journalctl --header. */
const entriesIn = (header: string): number =>
  [...header.matchAll(/^Entry [Oo]bjects: (\d+)/gm)].reduce((sum, [, digits]) => sum + Number(digits), 0);

/** True if journalctl exists and has an entry readable by this user. */
export function hasJournal(command = "journalctl"): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { timeout: PROBE_TIMEOUT_MS };
    execFile(command, ["--no-pager", "--quiet", "-o", "json", "-n", "1"], options, (error, stdout) =>
      resolve(!error && parseEntry(stdout.trim()) !== null),
    );
  });
}

/** The systemd journal, through journalctl. */
export class JournaldProvider implements LogProvider {
  readonly name = "journal";
  readonly key = "journald";

  constructor(
    private readonly command = "journalctl",
    private readonly now: () => Date = () => new Date(),
  ) {}

  async read(since: string | undefined, max: number): Promise<Reading> {
    const mark: Mark | undefined = since ? JSON.parse(since) : undefined;
    if (!mark) return this.take(["-n", String(BACKLOG_RECORDS)], since, max);
    try {
      return await this.take([`--after-cursor=${mark.cursor}`], since, max);
    } catch {
      return this.readSince(mark.time, since, max);
    }
  }

  /** If the cursor's entry was vacuumed, rereads that second; duplicates are not stored. */
  private async readSince(time: number, since: string | undefined, max: number): Promise<Reading> {
    const now = this.now().getTime();
    const from = time > now ? now - LOOK_BACK_MS : time;
    const reading = await this.take([`--since=@${Math.floor(from / 1000)}`], since, max);
    const isMoved = time > now && reading.records.length > 0;
    return isMoved ? { ...reading, warning: CLOCK_SET_BACK } : reading;
  }

  /** Reads up to max entries or the size limit, then ends journalctl, which cannot limit entries after a cursor. */
  private async take(range: string[], since: string | undefined, max: number): Promise<Reading> {
    const records: LogRecord[] = [];
    let characters = 0;
    let mark = since;
    for await (const line of this.lines(range)) {
      if (records.length >= max || characters > READ_CHARACTERS) return { records, watermark: mark ?? "", more: true };
      const entry = parseEntry(line);
      if (!entry) continue;
      const record = toRecord(entry);
      characters += line.length;
      records.push(record);
      mark = JSON.stringify({ cursor: fieldText(entry.__CURSOR), time: record.time.getTime() } satisfies Mark);
    }
    return { records, watermark: mark ?? "", more: false };
  }

  /** Without --all journalctl omits fields over 4,096 bytes. */
  private lines(range: string[]): AsyncGenerator<string> {
    const args = ["--no-pager", "--quiet", "--all", "-o", "json", `--output-fields=${FIELDS}`, ...range];
    return linesOf(this.command, args, shortLines);
  }

  async describe(): Promise<Descriptor> {
    const { stdout } = await run(this.command, ["--no-pager", "--quiet", "--header"], { maxBuffer: 16 * 1024 * 1024 });
    let last = "";
    for await (const record of this.newest({})) {
      last = record.time.toISOString();
      break;
    }
    return {
      name: this.name,
      displayName: "systemd journal",
      recordCount: entriesIn(stdout),
      // The header has the current size; the limit depends on the disk.
      maxSize: 0,
      retentionDays: 0,
      lastWriteTime: last,
    };
  }

  async query(filters: Filters): Promise<Page> {
    const tally: Tally = { count: 0 };
    const page = await pageOfNewestFirst(counting(this.newest(filters), tally), filters);
    return tally.count < MAX_SCANNED ? page : { ...page, searched: { entries: MAX_SCANNED } };
  }

  async get(recordId: number): Promise<Entry | undefined> {
    for await (const record of this.newest({})) if (record.recordId === recordId) return toEntry(record);
    return undefined;
  }

  /** Newest first, up to MAX_SCANNED; journalctl ends with the loop. */
  private async *newest(range: Partial<Filters>): AsyncGenerator<LogRecord> {
    for await (const line of this.lines(["--reverse", "-n", String(MAX_SCANNED), ...timeRange(range)])) {
      const entry = parseEntry(line);
      if (entry) yield toRecord(entry);
    }
  }
}
