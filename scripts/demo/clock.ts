import { renameSync, writeFileSync } from "node:fs";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";
import type { Random } from "@/testing/world/random";

const DEMO_DAYS = 30;
/** An hour short of what a sign-in by the API lasts: one that began with the month still holds while its events are written. */
export const MONTH_MS = DEMO_DAYS * DAY_MS - HOUR_MS;

/** Turns the clock that a file stands for to so long ago; at once for every reader, because the file is replaced. */
export function turnBack(file: string, agoMs: number): void {
  writeFileSync(`${file}.new`, String(agoMs));
  renameSync(`${file}.new`, file);
}

/**
 * Makes a Node program go by the clock of a file: the organizations, people and machines of the demo join at the
 * month's beginning and sign in later, and the server itself records it.
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
    if (at < end && at > end - MONTH_MS) return at;
  }
}

/** A moment of the last hours, at any hour and day: a technician is always on call. */
export const momentOnCall = (random: Random, end: number): number => end - random.int(MINUTE_MS, 4 * HOUR_MS);

/** Every so many minutes, with jitter, over the whole month. */
export function* regularTimes(random: Random, end: number, everyMinutes: number): Generator<number> {
  const step = everyMinutes * MINUTE_MS;
  for (let at = end - MONTH_MS + random.int(0, step); at < end; at += step) {
    yield Math.min(at + random.int(0, Math.floor(step / 4)), end - 1);
  }
}
