import { windowsCategory, windowsLevel } from "@/agent/mapping";
import { windowsOccurrence } from "@/agent/occurrence-id";
import type { Filters, LogRecord } from "./provider";

/** An event as printed by the scripts in powershell.ts, one JSON object per line; numbers over 2^53 are text. */
export type WindowsEvent = {
  LogName: string;
  RecordId: number;
  Id: number;
  Level: number | null;
  /** Hexadecimal, for example 0x8010000000000000. */
  Keywords: string | null;
  ProviderName: string | null;
  TimeCreated: string;
  MachineName: string | null;
  UserId: string | null;
  ProcessId: number | null;
  ThreadId: number | null;
  Task: string | null;
  Message: string | null;
  Xml: string | null;
};

/** Parses a line of a script; null if it is not an event (a module's greeting, a progress record). */
export function parseWindowsEvent(line: string): WindowsEvent | null {
  try {
    const event: WindowsEvent = JSON.parse(line.replace(/^\uFEFF/, ""));
    return typeof event?.RecordId === "number" && typeof event.TimeCreated === "string" ? event : null;
  } catch {
    return null;
  }
}

export function toWindowsRecord(event: WindowsEvent): LogRecord {
  const channel = event.LogName;
  const provider = event.ProviderName ?? channel;
  const { ProcessId: pid, ThreadId: thread, Task: task } = event;
  return {
    logName: channel,
    recordId: event.RecordId,
    occurrenceId: windowsOccurrence(channel, String(event.RecordId), event.TimeCreated),
    time: new Date(event.TimeCreated),
    level: windowsLevel(channel, event.Level ?? 0, BigInt(event.Keywords || "0")),
    category: windowsCategory(channel, provider),
    source: provider,
    eventNumber: event.Id,
    // Without the provider's message table there is only the event's data.
    message: event.Message?.trim() || `${provider} event ${event.Id}`,
    computer: event.MachineName || null,
    user: event.UserId || null,
    details: {
      ...(pid === null ? {} : { pid }),
      ...(thread === null ? {} : { thread }),
      ...(task ? { task } : {}),
    },
    rawXml: event.Xml ?? "",
  };
}

/** Level numbers in a channel. In the Security channel Keywords are used instead. */
const LEVELS: Record<string, number[]> = { critical: [1], error: [2], warning: [3], information: [4, 0], verbose: [5] };
const AUDIT_FAILURE = 4_503_599_627_370_496;

function levelCondition(channel: string, level: string): string {
  if (channel.toLowerCase() !== "security")
    return `(${(LEVELS[level] ?? []).map((value) => `Level=${value}`).join(" or ")})`;
  if (level === "warning") return `band(Keywords,${AUDIT_FAILURE})`;
  return level === "information" ? `not(band(Keywords,${AUDIT_FAILURE}))` : "Level=-1";
}

/** Filters as XPath for the event log. XPath has no escapes, so a name with both quotes is left to matches(). */
export function toXPath(channel: string, filters: Partial<Filters>): string {
  const { level, source, startTime, endTime, eventId } = filters;
  const quote = source?.includes("'") ? '"' : "'";
  const times = [
    ...(startTime ? [`@SystemTime>='${new Date(startTime).toISOString()}'`] : []),
    ...(endTime ? [`@SystemTime<='${new Date(endTime).toISOString()}'`] : []),
  ];
  const conditions = [
    ...(level ? [levelCondition(channel, level)] : []),
    ...(source && !source.includes(quote) ? [`Provider[@Name=${quote}${source}${quote}]`] : []),
    ...(eventId === undefined ? [] : [`(EventID=${eventId})`]),
    ...(times.length > 0 ? [`TimeCreated[${times.join(" and ")}]`] : []),
  ];
  return conditions.length > 0 ? `*[System[${conditions.join(" and ")}]]` : "*";
}
