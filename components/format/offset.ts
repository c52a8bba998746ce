import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";

const UNITS: [ms: number, short: string][] = [
  [DAY_MS, "d"],
  [HOUR_MS, "h"],
  [MINUTE_MS, "min"],
  [1_000, "s"],
  [1, "ms"],
];
const PARTS = 2;

/** "4 min 2 s after", "30 ms before", "same instant": the distance between two instants. */
export function offset(at: string, from: string): string {
  const ms = Date.parse(at) - Date.parse(from);
  if (ms === 0) return "same instant";
  const parts: string[] = [];
  let left = Math.abs(ms);
  for (const [length, short] of UNITS) {
    const n = Math.floor(left / length);
    // Milliseconds are omitted next to larger units.
    if (n > 0 && parts.length < PARTS && !(short === "ms" && parts.length > 0)) parts.push(`${n} ${short}`);
    left -= n * length;
  }
  return `${parts.join(" ")} ${ms < 0 ? "before" : "after"}`;
}
