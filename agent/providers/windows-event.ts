import { windowsCategory, windowsLevel } from "@/agent/mapping";
import { windowsOccurrence } from "@/agent/occurrence-id";
import type { Filters, LogRecord } from "./provider";

/** An event as powershell.ts's scripts print it, one JSON object a line; numbers over 2^53 come as text. */
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

/** A line of a script's output; null when it is none of an event (a module's greeting, a progress record). */
export function parseWindowsEvent(line: string): WindowsEvent | null {
  try {
    const event: WindowsEvent = JSON.parse(line.replace(/^\uFEFF/, ""));
    return typeof event?.RecordId === "number" && typeof event.TimeCreated === "string" ? event : null;
  } catch {
    return null;
  }
}

/** One entry of a channel. */
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
    // Without the provider's message table there is no text, only the event's data.
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

/** Levels as the channel stores them. In the Security channel they carry no information; there Keywords do. */
const LEVELS: Record<string, number[]> = { critical: [1], error: [2], warning: [3], information: [4, 0], verbose: [5] };
const AUDIT_FAILURE = 4_503_599_627_370_496;

function levelCondition(channel: string, level: string): string {
  if (channel.toLowerCase() !== "security")
    return `(${(LEVELS[level] ?? []).map((value) => `Level=${value}`).join(" or ")})`;
  if (level === "warning") return `band(Keywords,${AUDIT_FAILURE})`;
  return level === "information" ? `not(band(Keywords,${AUDIT_FAILURE}))` : "Level=-1";
}

/**
 * The filters as the event log's XPath. It knows no escapes: a name with a quote of each kind cannot be written, and is
 * left to matches().
 */
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
