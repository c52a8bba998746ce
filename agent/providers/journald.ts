import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { syslogCategory, syslogLevel } from "../mapping";
import { journaldOccurrence } from "../occurrence-id";
import { BACKLOG_RECORDS, type LogProvider, type LogRecord, type Reading } from "./provider";

/** A field as journalctl -o json prints it: text, bytes of what is no UTF-8, several values, or null when too long. */
type JournalField = string | number[] | (string | number[])[] | null | undefined;
type JournalEntry = Record<string, JournalField>;
type Mark = { cursor: string; time: number };

/** One reading never takes more characters, so that a batch of events stays far below the server's body limit. */
const READ_CHARACTERS = 1024 * 1024;
const PROBE_TIMEOUT_MS = 10_000;
const FIELDS =
  "MESSAGE,PRIORITY,SYSLOG_FACILITY,SYSLOG_IDENTIFIER,_COMM,_PID,_UID,_TRANSPORT,_SYSTEMD_UNIT,_HOSTNAME,MESSAGE_ID";

/** A field as text; the first of several values. */
export function fieldText(field: JournalField): string {
  if (typeof field === "string") return field;
  if (!Array.isArray(field) || field.length === 0) return "";
  return typeof field[0] === "number" ? Buffer.from(field as number[]).toString("utf8") : fieldText(field[0] as string);
}

const fieldNumber = (field: JournalField): number | null => {
  const text = fieldText(field);
  return /^\d+$/.test(text) ? Number(text) : null;
};

/** One entry of the journal. */
export function toRecord(entry: JournalEntry): LogRecord {
  const cursor = fieldText(entry.__CURSOR);
  const message = fieldText(entry.MESSAGE);
  const unit = fieldText(entry._SYSTEMD_UNIT);
  const transport = fieldText(entry._TRANSPORT);
  const isKernel = transport === "kernel";
  const program = fieldText(entry.SYSLOG_IDENTIFIER) || fieldText(entry._COMM) || unit || transport || "journal";
  const pid = fieldNumber(entry._PID);
  return {
    logName: "journal",
    recordId: Number.parseInt(/(?:^|;)i=([0-9a-f]+)/.exec(cursor)?.[1] ?? "0", 16),
    occurrenceId: journaldOccurrence(cursor),
    time: new Date((fieldNumber(entry.__REALTIME_TIMESTAMP) ?? 0) / 1000),
    level: syslogLevel(fieldNumber(entry.PRIORITY) ?? 6),
    category: syslogCategory({ facility: fieldNumber(entry.SYSLOG_FACILITY), isKernel, program, message }),
    source: program,
    message,
    computer: fieldText(entry._HOSTNAME) || null,
    user: fieldText(entry._UID) || null,
    details: { ...(unit ? { unit } : {}), ...(pid === null ? {} : { pid }), ...(transport ? { transport } : {}) },
  };
}

function parse(line: string): JournalEntry | null {
  try {
    const entry = JSON.parse(line) as JournalEntry;
    return entry.__CURSOR ? entry : null;
  } catch {
    return null;
  }
}

/** True when journalctl is there and has an entry that this user may read. */
export function hasJournal(command = "journalctl"): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { timeout: PROBE_TIMEOUT_MS };
    execFile(command, ["--no-pager", "--quiet", "-o", "json", "-n", "1"], options, (error, stdout) =>
      resolve(!error && parse(stdout.trim()) !== null),
    );
  });
}

/** systemd's journal, through journalctl. */
export class JournaldProvider implements LogProvider {
  readonly name = "journald";

  constructor(private readonly command = "journalctl") {}

  async read(since: string | undefined, max: number): Promise<Reading> {
    const mark = since ? (JSON.parse(since) as Mark) : undefined;
    if (!mark) return this.run(["-n", String(BACKLOG_RECORDS)], since, max);
    try {
      return await this.run([`--after-cursor=${mark.cursor}`], since, max);
    } catch {
      // The cursor's entry may have been vacuumed; entries of that very second are then sent again and not stored twice.
      return this.run([`--since=@${Math.floor(mark.time / 1000)}`], since, max);
    }
  }

  /** Reads until max entries or the size limit, then ends journalctl: it has no option for "the first N after". */
  private async run(range: string[], since: string | undefined, max: number): Promise<Reading> {
    const args = ["--no-pager", "--quiet", "-o", "json", `--output-fields=${FIELDS}`, ...range];
    const child = spawn(this.command, args, { stdio: ["ignore", "pipe", "ignore"] });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    ended.catch(() => {});
    const records: LogRecord[] = [];
    let characters = 0;
    let mark = since;
    let more = false;
    for await (const line of createInterface({ input: child.stdout })) {
      if (records.length >= max || characters > READ_CHARACTERS) {
        more = true;
        break;
      }
      const entry = parse(line);
      if (!entry) continue;
      const record = toRecord(entry);
      characters += line.length;
      records.push(record);
      mark = JSON.stringify({ cursor: fieldText(entry.__CURSOR), time: record.time.getTime() } satisfies Mark);
    }
    child.kill();
    const code = await ended;
    if (!more && code !== 0) throw new Error(`journalctl ended with ${code}`);
    return { records, watermark: mark ?? "", more };
  }
}
