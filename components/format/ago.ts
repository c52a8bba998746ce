import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";

/** "just now", "19 min ago", "5 h ago", "3 days ago": the time since an instant, in its largest unit. */
export function ago(at: string, now: string): string {
  const ms = Date.parse(now) - Date.parse(at);
  if (ms < MINUTE_MS) return "just now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  return `${Math.floor(ms / DAY_MS)} days ago`;
}
