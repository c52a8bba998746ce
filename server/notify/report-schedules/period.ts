import { DAY_MS } from "@/server/ground/time/durations";
import { fromWallClock, wallClock } from "@/server/ground/time/wall-clock";
import type { Cadence } from "./schema";

/** Local hour at which reports are sent. */
const SENT_AT_HOUR = 6;

/** Start of the week (Monday) or month, `after` periods later than a local time. */
function begins(cadence: Cadence, wallMs: number, after: number): number {
  const at = new Date(wallMs);
  if (cadence === "monthly") return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + after, 1);
  const sinceMonday = (at.getUTCDay() + 6) % 7;
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() - sinceMonday + 7 * after);
}

/** Last whole week or month before an instant, in a zone; `to` is its last millisecond. */
export function lastPeriod(cadence: Cadence, zone: string, now: Date): { from: Date; to: Date } {
  const wall = wallClock(now, zone);
  const [from, end] = [begins(cadence, wall, -1), begins(cadence, wall, 0)];
  return { from: fromWallClock(from, zone), to: new Date(fromWallClock(end, zone).getTime() - 1) };
}

/** Due time of the next report after an instant: six o'clock on a Monday or the first of a month. */
export function nextRun(cadence: Cadence, zone: string, now: Date): Date {
  const wall = wallClock(now, zone);
  const at = (after: number) => fromWallClock(begins(cadence, wall, after) + SENT_AT_HOUR * (DAY_MS / 24), zone);
  return at(0) > now ? at(0) : at(1);
}
