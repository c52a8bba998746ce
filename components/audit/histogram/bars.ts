import { counted } from "@/components/format/amounts";
import { dateTime } from "@/components/format/time";
import type { Outputs } from "@/components/trpc";

type Histogram = Outputs["audit"]["histogram"];

/** One step of the histogram, which may be empty; from and to are inclusive. */
export type Bar = { from: Date; to: Date; success: number; failure: number; denied: number };

export const sumOf = ({ success, failure, denied }: Bar): number => success + failure + denied;

/** The steps of a histogram in order, including empty ones. */
export function barsOf({ edges, buckets }: Histogram): Bar[] {
  const counts = new Map(buckets.map((bucket) => [Date.parse(bucket.at), bucket]));
  const ends = edges.map((edge) => Date.parse(edge));
  return ends.slice(0, -1).map((ms, i) => {
    const { success = 0, failure = 0, denied = 0 } = counts.get(ms) ?? {};
    return { from: new Date(ms), to: new Date((ends[i + 1] ?? ms) - 1), success, failure, denied };
  });
}

/** The span of a run of bars, given its two ends in either order. */
export function spanBetween(bars: Bar[], a: number, b: number): { from: Date; to: Date } | null {
  const [first, last] = [bars[Math.min(a, b)], bars[Math.max(a, b)]];
  return first && last ? { from: first.from, to: last.to } : null;
}

const withResults = ({ failure, denied }: Pick<Bar, "failure" | "denied">): string =>
  [failure > 0 && `${failure.toLocaleString("en-GB")} failed`, denied > 0 && `${denied.toLocaleString("en-GB")} denied`]
    .filter(Boolean)
    .map((part) => `, ${part}`)
    .join("");

const total = (bars: Bar[]) =>
  bars.reduce(
    (all, bar) => ({ n: all.n + sumOf(bar), failure: all.failure + bar.failure, denied: all.denied + bar.denied }),
    { n: 0, failure: 0, denied: 0 },
  );

/** "50,238 entries, 530 failed, 270 denied; per 6 hours": the totals of all bars. */
export function describeAllBars(bars: Bar[], { unit, n }: Histogram["step"]): string {
  if (bars.length === 0) return "";
  const sum = total(bars);
  return `${counted(sum.n, "entry", "entries")}${withResults(sum)}; per ${n === 1 ? unit : n === 7 ? "week" : counted(n, unit)}`;
}

/** "20 Nov 2026, 14:00 to 15:00: 1,204 entries, 3 failed, 1 denied" for a run of bars. */
export function describeBars(bars: Bar[], zone: string): string {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return "";
  const sum = total(bars);
  const end = dateTime(new Date(last.to.getTime() + 1), zone).slice(0, -3);
  const start = dateTime(first.from, zone).slice(0, -3);
  const [day] = start.split(",");
  const isOfDays = start.endsWith("00:00") && end.endsWith("00:00") && !end.startsWith(`${day},`);
  if (isOfDays) {
    const lastDay = dateTime(last.to, zone).split(",")[0];
    return `${day === lastDay ? day : `${day} to ${lastDay}`}: ${counted(sum.n, "entry", "entries")}${withResults(sum)}`;
  }
  return `${start} to ${end.startsWith(`${day},`) ? end.slice(-5) : end}: ${counted(sum.n, "entry", "entries")}${withResults(sum)}`;
}

/** A date or time label under the bar with that index. */
export type Tick = { at: number; text: string };

const MAX_TICKS = 8;
/** Minimum bars per label: a bar is up to 48 pixels wide, a date about twice that. */
const MIN_BARS_PER_LABEL = 2;
/** The width of a label as a share of the distance to the next one. */
const LABEL_SHARE = 0.75;

/** The axis labels: dates where a day begins, otherwise the time of day. */
export function ticksOf(bars: Bar[], { unit }: Histogram["step"], zone: string): Tick[] {
  const every = Math.max(MIN_BARS_PER_LABEL, Math.ceil(bars.length / MAX_TICKS));
  let day = "";
  return bars.flatMap((bar, at) => {
    // A label at the end is dropped if it would not fit.
    if (at % every !== 0 || (at > 0 && at + every * LABEL_SHARE > bars.length)) return [];
    const [date = "", time = ""] = dateTime(bar.from, zone).slice(0, -3).split(", ");
    const short = unit === "month" ? date.replace(/^\d+ /, "") : date.slice(0, -5);
    const isNewDay = date !== day;
    day = date;
    if (unit === "day" || unit === "month") return [{ at, text: short }];
    return [{ at, text: !isNewDay ? time : time === "00:00" ? short : `${short}, ${time}` }];
  });
}
