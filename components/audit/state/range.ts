import { clock, dateTime, shortDate } from "@/components/format/time";
import { bounded } from "@/server/ground/time/bounds";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";
import { fromWallClock, toWallClock, wallClock } from "@/server/ground/time/wall-clock";

/** The preset ranges, shortest first. */
export const PRESETS = ["15m", "1h", "24h", "today", "yesterday", "7d", "30d", "90d"] as const;
export type Preset = (typeof PRESETS)[number];

export const PRESET_LABEL: Record<Preset, string> = {
  "15m": "Last 15 minutes",
  "1h": "Last hour",
  "24h": "Last 24 hours",
  today: "Today",
  yesterday: "Yesterday",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
};

const LENGTH_MS: Partial<Record<Preset, number>> = {
  "15m": 15 * MINUTE_MS,
  "1h": HOUR_MS,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "30d": 30 * DAY_MS,
  "90d": 90 * DAY_MS,
};

export type Span = { from?: Date; to?: Date };

function startOfDay(zone: string, now: Date, daysBack: number): Date {
  return fromWallClock(Math.floor(wallClock(now, zone) / DAY_MS) * DAY_MS - daysBack * DAY_MS, zone);
}

/** A preset as instants. An open end stays open, so that later entries are included. */
export function presetSpan(preset: Preset, zone: string, now: Date): Span {
  if (preset === "today") return { from: startOfDay(zone, now, 0) };
  if (preset === "yesterday")
    return { from: startOfDay(zone, now, 1), to: new Date(startOfDay(zone, now, 0).getTime() - 1) };
  const minute = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
  return { from: new Date(minute - (LENGTH_MS[preset] ?? 0)) };
}

const instant = (ms: number): Date => new Date(bounded(ms));

/** The adjacent span of the same length, such as the hour before or the week after. */
export function shifted({ from, to }: Span, by: 1 | -1, now: Date): Span {
  if (!from) return { ...(to && { to }) };
  const end = to ?? now;
  const length = end.getTime() - from.getTime() + 1;
  return { from: instant(from.getTime() + by * length), to: instant(end.getTime() + by * length) };
}

/** A span of twice the length around the same middle; an end in the future becomes open. */
export function widened({ from, to }: Span, now: Date): Span {
  if (!from) return {};
  const end = to ?? now;
  const half = Math.max((end.getTime() - from.getTime()) / 2, MINUTE_MS / 2);
  const later = new Date(end.getTime() + half);
  return { from: instant(from.getTime() - half), ...(later < now && { to: later }) };
}

type Field = { first: Date | null; zone: string; isEnd?: boolean };

/**
 * Instant of a datetime-local field in minutes; null if empty. The initial value keeps its seconds; a range ends with
 * the last instant of its last minute.
 */
export function ofField(text: string, { first, zone, isEnd = false }: Field): Date | null {
  if (first && text === toWallClock(first, zone)) return first;
  const wall = Date.parse(`${text}Z`);
  return Number.isNaN(wall) ? null : instant(fromWallClock(wall, zone).getTime() + (isEnd ? MINUTE_MS - 1 : 0));
}

/** Short text of a span with two ends: "20 Nov 2026", "20 Nov 2026, 09:00 to 10:00". */
export function shortSpan({ from, to }: Span, zone: string): string {
  if (!from || !to) return from ? `Since ${dateTime(from, zone)}` : `Until ${to ? dateTime(to, zone) : "now"}`;
  const end = new Date(to.getTime() + 1);
  const [first, last] = [shortDate(from, zone), shortDate(to, zone)];
  const isOfDays = clock(from, zone) === "00:00:00" && clock(end, zone) === "00:00:00";
  if (isOfDays) return first === last ? first : `${first} to ${last}`;
  return first === last
    ? `${first}, ${clock(from, zone).slice(0, 5)} to ${clock(end, zone).slice(0, 5)}`
    : spanText({ from, to }, zone);
}

/** A span as absolute times. */
export const spanText = ({ from, to }: Span, zone: string): string =>
  from || to ? `${from ? dateTime(from, zone) : "The beginning"} to ${to ? dateTime(to, zone) : "now"}` : "All time";
