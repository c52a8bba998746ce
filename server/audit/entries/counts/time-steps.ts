import { fromWallClock, offsetMs, wallClock } from "@/server/ground/time/wall-clock";
import { MAX_HISTOGRAM_BUCKETS, type STEP_UNITS } from "./facets-schema";

export type Step = { unit: (typeof STEP_UNITS)[number]; n: number };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Every Monday is a whole number of weeks after this one, read by any wall clock. */
const MONDAY = Date.UTC(1970, 0, 5);
const LENGTH: Record<Step["unit"], number> = { minute: MINUTE, hour: HOUR, day: DAY, month: 30 * DAY };

const STEPS: readonly Step[] = [
  ...[1, 5, 15].map((n): Step => ({ unit: "minute", n })),
  ...[1, 3, 6, 12].map((n): Step => ({ unit: "hour", n })),
  ...[1, 7].map((n): Step => ({ unit: "day", n })),
];

/** Steps whose ends are counted from the start of the wall clock's day, week or month; shorter ones go by the hour. */
const isByWall = ({ unit, n }: Step): boolean => unit === "day" || unit === "month" || (unit === "hour" && n > 1);

function floorWall(wall: number, { unit, n }: Step): number {
  if (unit === "month") {
    const at = new Date(wall);
    return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - (at.getUTCMonth() % Math.min(n, 12)));
  }
  const length = n * LENGTH[unit];
  const origin = n === 7 ? MONDAY : 0;
  return Math.floor((wall - origin) / length) * length + origin;
}

function nextWall(wall: number, { unit, n }: Step): number {
  if (unit !== "month") return wall + n * LENGTH[unit];
  const at = new Date(wall);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + n);
}

/** The ends of the steps that hold a range, in order, each once: the first at or before `from`, the last after `to`. */
export function edgesOf(from: number, to: number, { step, zone }: { step: Step; zone: string }): number[] {
  if (!isByWall(step)) {
    const length = step.n * LENGTH[step.unit];
    const offset = offsetMs(zone, new Date(from));
    const first = Math.floor((from + offset) / length) * length - offset;
    return Array.from({ length: Math.floor((to - first) / length) + 2 }, (_, i) => first + i * length);
  }
  let wall = floorWall(wallClock(new Date(from), zone), step);
  const edges = [fromWallClock(wall, zone).getTime()];
  while ((edges.at(-1) ?? 0) <= to) {
    wall = nextWall(wall, step);
    const edge = fromWallClock(wall, zone).getTime();
    // An hour that the clocks skip makes no step.
    if (edge > (edges.at(-1) ?? 0)) edges.push(edge);
  }
  return edges;
}

/** The finest step that leaves a range few enough buckets, both ends counted. */
export function stepOf(from: number, to: number): Step {
  const fits = ({ unit, n }: Step) => (to - from) / (n * LENGTH[unit]) < MAX_HISTOGRAM_BUCKETS - 2;
  const months = Math.ceil((to - from) / (28 * DAY) / (MAX_HISTOGRAM_BUCKETS - 2));
  return STEPS.find(fits) ?? { unit: "month", n: Math.max(1, months) };
}
