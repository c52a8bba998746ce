import { counted } from "@/components/format/amounts";
import { dateTime } from "@/components/format/time";
import type { Outputs } from "@/components/trpc";

type Histogram = Outputs["audit"]["histogram"];

/** One step of the histogram, the empty ones too; from and to are both inside. */
export type Bar = { from: Date; to: Date; success: number; failure: number; denied: number };

export const sumOf = ({ success, failure, denied }: Bar): number => success + failure + denied;

/** The steps between the ends of a histogram, each once, in order. */
export function barsOf({ from, to, stepMs, buckets }: Histogram): Bar[] {
  if (from === null || to === null) return [];
  const counts = new Map(buckets.map((bucket) => [Date.parse(bucket.at), bucket]));
  const first = Math.floor(Date.parse(from) / stepMs) * stepMs;
  const bars: Bar[] = [];
  for (let ms = first; ms <= Date.parse(to); ms += stepMs) {
    const { success = 0, failure = 0, denied = 0 } = counts.get(ms) ?? {};
    bars.push({ from: new Date(ms), to: new Date(ms + stepMs - 1), success, failure, denied });
  }
  return bars;
}

/** The span of some neighbouring bars, whichever of the two ends was named first. */
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

const MINUTE_MS = 60_000;
const UNITS: [ms: number, name: string][] = [
  [1_440 * MINUTE_MS, "day"],
  [60 * MINUTE_MS, "hour"],
  [MINUTE_MS, "minute"],
];

/** "50,238 entries, 530 failed, 270 denied; per 6 hours": all bars together. */
export function allInWords(bars: Bar[]): string {
  const first = bars[0];
  if (!first) return "";
  const step = first.to.getTime() + 1 - first.from.getTime();
  const [ms, name] = UNITS.find(([unit]) => step >= unit) ?? [MINUTE_MS, "minute"];
  const sum = total(bars);
  return `${counted(sum.n, "entry", "entries")}${withResults(sum)}; per ${step === ms ? name : counted(step / ms, name)}`;
}

/** "20 Nov 2026, 14:00 to 15:00: 1,204 entries, 3 failed, 1 denied" for some neighbouring bars. */
export function barsInWords(bars: Bar[], zone: string): string {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return "";
  const sum = total(bars);
  const end = dateTime(new Date(last.to.getTime() + 1), zone).slice(0, -3);
  const start = dateTime(first.from, zone).slice(0, -3);
  const [day] = start.split(",");
  return `${start} to ${end.startsWith(`${day},`) ? end.slice(-5) : end}: ${counted(sum.n, "entry", "entries")}${withResults(sum)}`;
}
