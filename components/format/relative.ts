import { counted } from "./amounts";

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;
const UNITS: [seconds: number, short: string, long: string][] = [
  [365 * DAY_S, "y", "year"],
  [30 * DAY_S, "mo", "month"],
  [DAY_S, "d", "day"],
  [HOUR_S, "h", "hour"],
  [MINUTE_S, "min", "minute"],
];

function amountOf(at: string, now: Date): { n: number; short: string; long: string; isAhead: boolean } | null {
  const seconds = Math.round((now.getTime() - Date.parse(at)) / 1000);
  const unit = UNITS.find(([length]) => Math.abs(seconds) >= length);
  return unit
    ? { n: Math.floor(Math.abs(seconds) / unit[0]), short: unit[1], long: unit[2], isAhead: seconds < 0 }
    : null;
}

/** "now", "3 min", "2 h", "5 d", "in 2 h": a short relative time. */
export function ago(at: string, now: Date): string {
  const found = amountOf(at, now);
  if (!found) return "now";
  return `${found.isAhead ? "in " : ""}${found.n} ${found.short}`;
}

/** "less than a minute ago", "3 minutes ago", "in 2 hours" */
export function describeAge(at: string, now: Date): string {
  const found = amountOf(at, now);
  if (!found) return "less than a minute ago";
  const span = counted(found.n, found.long);
  return found.isAhead ? `in ${span}` : `${span} ago`;
}
