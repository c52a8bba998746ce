import { parseAsArrayOf, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs";
import { instantParam } from "@/components/format/instant-param";
import { TIMELINE_SOURCES } from "@/server/devices/timeline/vocabulary";
import { bounded } from "@/server/ground/time/bounds";
import { MINUTE_MS } from "@/server/ground/time/durations";

/** Ranges that end now, in minutes; null means all time. */
export const RANGES = {
  "15m": { label: "Last 15 minutes", minutes: 15 },
  "1h": { label: "Last hour", minutes: 60 },
  "24h": { label: "Last 24 hours", minutes: 24 * 60 },
  "7d": { label: "Last 7 days", minutes: 7 * 24 * 60 },
  all: { label: "All time", minutes: null },
} as const;
export const RANGE_NAMES = ["15m", "1h", "24h", "7d", "all"] as const;

/** The timeline's URL parameters: a range that ends now, or some minutes around a moment. */
export const timelineParsers = {
  range: parseAsStringLiteral(RANGE_NAMES).withDefault("1h"),
  around: instantParam,
  within: parseAsInteger.withDefault(5),
  sources: parseAsArrayOf(parseAsStringLiteral(TIMELINE_SOURCES)).withDefault([...TIMELINE_SOURCES]),
  search: parseAsString,
};

type View = { range: (typeof RANGE_NAMES)[number]; around: Date | null; within: number };

/** An end that is missing is open. */
export type Span = { from?: Date; to?: Date };

/** The time span of a view. */
export function spanOf({ range, around, within }: View, now: Date): Span {
  if (around) {
    const halfWindowMs = Math.min(Math.max(within, 1), 24 * 60) * MINUTE_MS;
    const [from, to] = [around.getTime() - halfWindowMs, around.getTime() + halfWindowMs];
    return { from: new Date(bounded(from)), to: new Date(bounded(to)) };
  }
  const { minutes } = RANGES[range];
  return minutes === null ? {} : { from: new Date(now.getTime() - minutes * MINUTE_MS) };
}
