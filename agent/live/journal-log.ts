import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { Descriptor, Entry } from "@/server/live-events/schema";
import { toRecord } from "../providers/journald";
import type { LogRecord } from "../providers/provider";
import { type Filters, type LiveLog, MAX_SCANNED, matches, type Page, toEntry } from "./live-log";

const run = promisify(execFile);

/** journalctl takes whole seconds here; the filters are exact. */
function timeRange({ startTime, endTime }: Partial<Filters>): string[] {
  return [
    ...(startTime ? [`--since=@${Math.floor(Date.parse(startTime) / 1000)}`] : []),
    ...(endTime ? [`--until=@${Math.ceil(Date.parse(endTime) / 1000)}`] : []),
  ];
}

const sumOf = (text: string, label: string): number =>
  [...text.matchAll(new RegExp(`^${label}: (\\d+)`, "gm"))].reduce((sum, [, digits]) => sum + Number(digits), 0);

/** systemd's journal. */
export class JournalLog implements LiveLog {
  readonly name = "journal";

  constructor(private readonly command = "journalctl") {}

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
      recordCount: sumOf(stdout, "Entry [Oo]bjects"),
      maxSize: sumOf(stdout, "Arena [Ss]ize"),
      retentionDays: 0,
      lastWriteTime: last,
    };
  }

  async query(filters: Filters): Promise<Page> {
    const first = (filters.page - 1) * filters.limit;
    const events: Entry[] = [];
    let total = 0;
    for await (const record of this.newest(filters)) {
      if (!matches(record, filters)) continue;
      if (total >= first && events.length < filters.limit) events.push(toEntry(record));
      total++;
    }
    return { events, total };
  }

  async get(recordId: number): Promise<Entry | undefined> {
    for await (const record of this.newest({})) if (record.recordId === recordId) return toEntry(record);
    return undefined;
  }

  /** Newest first, up to MAX_SCANNED; journalctl ends with the loop. */
  private async *newest(range: Partial<Filters>): AsyncGenerator<LogRecord> {
    const args = ["--no-pager", "--quiet", "--reverse", "-o", "json", "-n", String(MAX_SCANNED), ...timeRange(range)];
    const child = spawn(this.command, args, { stdio: ["ignore", "pipe", "ignore"] });
    const failed = new Promise<never>((_, reject) => child.once("error", reject));
    failed.catch(() => {});
    try {
      for await (const line of createInterface({ input: child.stdout }))
        if (line.startsWith("{")) yield toRecord(JSON.parse(line));
      if (child.pid === undefined) await failed;
    } finally {
      child.kill();
    }
  }
}
