import { renameSync, writeFileSync } from "node:fs";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";
import type { Random } from "@/testing/world/random";

const DEMO_DAYS = 30;
/** An hour short of an API sign-in's lifetime, so that one from the month's start is still valid at the end. */
export const MONTH_MS = DEMO_DAYS * DAY_MS - HOUR_MS;

/** Sets the clock in a file back; effective at once for every reader, because the file is replaced. */
export function turnBack(file: string, agoMs: number): void {
  writeFileSync(`${file}.new`, String(agoMs));
  renameSync(`${file}.new`, file);
}

/**
 * Makes a Node program use the clock in a file, so that the server itself records enrollments at the month's start and
 * later sign-ins.
 */
export function clockFrom(file: string): { NODE_OPTIONS: string } {
  const source = `import { readFileSync } from "node:fs";
    const Now = Date;
    const at = () => Now.now() - Number(readFileSync(${JSON.stringify(file)}, "utf8"));
    globalThis.Date = new Proxy(Now, {
      construct: (target, args, type) => Reflect.construct(target, args.length > 0 ? args : [at()], type),
      get: (target, name) => (name === "now" ? at : Reflect.get(target, name)),
    });`;
  const module = `data:text/javascript;base64,${Buffer.from(source).toString("base64")}`;
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import=${module}` };
}

/** People's activity by hour of the day (UTC); nights are not quite empty. */
const HOURS = [1, 1, 0, 0, 0, 1, 4, 14, 30, 38, 34, 30, 18, 26, 36, 34, 28, 16, 7, 4, 3, 2, 2, 1];

/** A working time in the month before `end`; weekends are quiet. */
export function workingTime(random: Random, end: number): number {
  for (;;) {
    const day = end - random.int(0, DEMO_DAYS) * DAY_MS;
    const weekday = new Date(day).getUTCDay();
    if ((weekday === 0 || weekday === 6) && !random.chance(0.12)) continue;
    const hour = Number(random.weighted(Object.fromEntries(HOURS.map((w, h) => [String(h), w]))));
    const start = day - (day % DAY_MS);
    const at = start + hour * HOUR_MS + random.int(0, HOUR_MS - 1);
    if (at < end && at > end - MONTH_MS) return at;
  }
}

/** A time in the last hours, on any day: a technician is always on call. */
export const momentOnCall = (random: Random, end: number): number => end - random.int(MINUTE_MS, 4 * HOUR_MS);

/** Times at an interval with jitter, over the whole month. */
export function* regularTimes(random: Random, end: number, everyMinutes: number): Generator<number> {
  const step = everyMinutes * MINUTE_MS;
  for (let at = end - MONTH_MS + random.int(0, step); at < end; at += step) {
    yield Math.min(at + random.int(0, Math.floor(step / 4)), end - 1);
  }
}
