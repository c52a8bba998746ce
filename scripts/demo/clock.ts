import type { Random } from "./random";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DEMO_DAYS = 30;

/** How busy people are by hour of the day (UTC); nights are not quite empty. */
const HOURS = [1, 1, 0, 0, 0, 1, 4, 14, 30, 38, 34, 30, 18, 26, 36, 34, 28, 16, 7, 4, 3, 2, 2, 1];

/** A moment in the month before `end` at which a person would be at work; weekends are quiet. */
export function workingTime(random: Random, end: number): number {
  for (;;) {
    const day = end - random.int(0, DEMO_DAYS) * DAY_MS;
    const weekday = new Date(day).getUTCDay();
    if ((weekday === 0 || weekday === 6) && !random.chance(0.12)) continue;
    const hour = Number(random.weighted(Object.fromEntries(HOURS.map((w, h) => [String(h), w]))));
    const start = day - (day % DAY_MS);
    const at = start + hour * HOUR_MS + random.int(0, HOUR_MS - 1);
    if (at < end && at > end - DEMO_DAYS * DAY_MS) return at;
  }
}

/** Every so many minutes, with jitter, over the whole month. */
export function* regularTimes(random: Random, end: number, everyMinutes: number): Generator<number> {
  const step = everyMinutes * MINUTE_MS;
  for (let at = end - DEMO_DAYS * DAY_MS + random.int(0, step); at < end; at += step) {
    yield Math.min(at + random.int(0, Math.floor(step / 4)), end - 1);
  }
}
