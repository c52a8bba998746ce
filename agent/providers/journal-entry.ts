import { syslogCategory, syslogLevel } from "@/agent/mapping";
import { journaldOccurrence } from "@/agent/occurrence-id";
import type { LogRecord } from "./provider";

/** A field as printed by journalctl -o json: text, bytes that are not UTF-8, several values, or null. */
type JournalField = string | number[] | (string | number[])[] | null | undefined;
export type JournalEntry = Record<string, JournalField>;

/** A field as text, one line per value; null if blank. */
export function fieldText(field: JournalField): string {
  if (typeof field === "string") return field.trim() === "" ? "" : field;
  if (!Array.isArray(field)) return "";
  const bytes = field.filter((part) => typeof part === "number");
  if (bytes.length > 0) return Buffer.from(bytes).toString("utf8");
  return field.flatMap((part) => (typeof part === "number" ? [] : [fieldText(part)])).join("\n");
}

const fieldNumber = (field: JournalField): number | null => {
  const text = fieldText(field);
  return /^\d+$/.test(text) ? Number(text) : null;
};

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

/** Parses a line of journalctl; null if it is not an entry. */
export function parseEntry(line: string): JournalEntry | null {
  try {
    const entry: JournalEntry = JSON.parse(line);
    return entry.__CURSOR ? entry : null;
  } catch {
    return null;
  }
}
