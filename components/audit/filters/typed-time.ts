import type { Span } from "@/components/audit/state/range";
import { bounded, isInBounds } from "@/server/ground/time/bounds";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";
import { fromWallClock, toWallClock, wallClock } from "@/server/ground/time/wall-clock";

/** The time zone and current time that typed times refer to. */
export type Clock = { zone: string; now: Date };

type Parser = (text: string, clock: Clock) => Span | null;

/** A span between two wall-clock times of the zone; the end is exclusive. */
const between = (from: number, to: number, { zone }: Clock): Span => ({
  from: fromWallClock(from, zone),
  to: new Date(fromWallClock(to, zone).getTime() - 1),
});

const UNITS: readonly (readonly [name: RegExp, ms: number])[] = [
  [/^s(?:ec(?:ond)?)?$/, 1_000],
  [/^m(?:in(?:ute)?)?$/, MINUTE_MS],
  [/^h(?:r|our)?$/, HOUR_MS],
  [/^d(?:ay)?$/, DAY_MS],
  [/^w(?:eek)?$/, 7 * DAY_MS],
  [/^month$/, 30 * DAY_MS],
  [/^y(?:ear)?$/, 365 * DAY_MS],
];
const NUMBERS = [/^an?$|^one$/, /^two$|^couple of$/, /^three$|^few$/, /^four$/, /^five$/, /^six$/, /^seven$/];
const AGO =
  /^(?:(last|past|previous|this) )?(?:(\d{1,4}|an?|one|two|couple of|three|few|four|five|six|seven) ?)?([a-z]+?)s?$/;

/** "3h", "last 15 min", "past two weeks", "last hour": ends now. "last week" is a calendar week. */
const ago: Parser = (text, { now }) => {
  const [, which = "", n, unit = ""] = AGO.exec(text) ?? [];
  const [, ms = 0] = UNITS.find(([name]) => name.test(unit)) ?? [];
  if (!n && which !== "past" && !(which && ms <= HOUR_MS)) return null;
  const length = ms * (n ? Number(n) || NUMBERS.findIndex((name) => name.test(n)) + 1 : 1);
  return length > 0 ? { from: new Date(now.getTime() - length) } : null;
};

const FIRST_YEAR = 1970;
const LAST_YEAR = 2099;
const isYear = (year: number) => year >= FIRST_YEAR && year <= LAST_YEAR;

/** Seconds or milliseconds since 1970. */
const epoch: Parser = (text) => {
  if (!/^(\d{10}|\d{13})$/.test(text)) return null;
  const from = new Date(text.length === 10 ? Number(text) * 1_000 : Number(text));
  return isYear(from.getUTCFullYear()) ? { from } : null;
};

/** "2026-11-18", "2026-10", "2026": the whole day, month or year. */
const isoDate: Parser = (text, clock) => {
  const [, y, m, d] = (/^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text) ?? []).map(Number);
  if (!y || !isYear(y) || (m && (m > 12 || m < 1)) || (d && new Date(Date.UTC(y, (m ?? 1) - 1, d)).getUTCDate() !== d))
    return null;
  if (!m) return between(Date.UTC(y, 0), Date.UTC(y + 1, 0), clock);
  return d
    ? between(Date.UTC(y, m - 1, d), Date.UTC(y, m - 1, d + 1), clock)
    : between(Date.UTC(y, m - 1), Date.UTC(y, m), clock);
};

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** "oct": the current or most recent one. */
const monthName: Parser = (text, clock) => {
  const m = MONTHS.indexOf(text);
  if (m < 0) return null;
  const today = new Date(wallClock(clock.now, clock.zone));
  const y = today.getUTCFullYear() - (m > today.getUTCMonth() ? 1 : 0);
  return between(Date.UTC(y, m), Date.UTC(y, m + 1), clock);
};

/** "this week", "last month", "last weekend": weeks start on Monday, weekends on Saturday. */
const period: Parser = (text, clock) => {
  const [, which, unit] = /^(?:(this|last|previous) )?(weekend|week|month|quarter|year)$/.exec(text) ?? [];
  if (!unit || (!which && unit !== "weekend")) return null;
  const today = new Date(wallClock(clock.now, clock.zone));
  const [y, m, d] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  const back = which === "last" || which === "previous" ? 1 : 0;
  if (unit === "year") return between(Date.UTC(y - back, 0), Date.UTC(y - back + 1, 0), clock);
  const quarter = m - (m % 3) - 3 * back;
  if (unit === "quarter") return between(Date.UTC(y, quarter), Date.UTC(y, quarter + 3), clock);
  if (unit === "month") return between(Date.UTC(y, m - back), Date.UTC(y, m - back + 1), clock);
  const monday = d - ((today.getUTCDay() + 6) % 7) - 7 * back;
  const first = unit === "weekend" ? monday + 5 : monday;
  return between(Date.UTC(y, m, first), Date.UTC(y, m, monday + 7), clock);
};

/** "9-10", "9:30 to 10:15": hours of a day; the day may be named before or after them. */
const HOURS = /(?:^|[\s,])(?:from )?(\d{1,2})(?::(\d{2}))?\s*(?:-|–|to|until)\s*(\d{1,2})(?::(\d{2}))?(?=$|[\s,])/;
const LONGEST_DAY_MS = 25 * HOUR_MS;
const isDay = ({ from, to }: Span) => Boolean(from && to && to.getTime() - from.getTime() < LONGEST_DAY_MS);

async function hoursOfDay(text: string, clock: Clock): Promise<Span | null> {
  const found = HOURS.exec(text);
  if (!found) return null;
  const [h1 = 0, m1 = 0, h2 = 0, m2 = 0] = found.slice(1).map((part) => Number(part ?? 0));
  const [start, end] = [h1 * 60 + m1, h2 * 60 + m2];
  const date = text.replace(found[0], " ").trim();
  const day = date ? await parseTime(date, clock) : null;
  // "october 9-10" means days, not hours.
  if (start >= end || end > 24 * 60 || m1 > 59 || m2 > 59 || (date && !(day && isDay(day)))) return null;
  const midnight = `${toWallClock(day?.from ?? clock.now, clock.zone).slice(0, 10)}T00:00Z`;
  const of = Date.parse(midnight);
  const at = !date && of + start * MINUTE_MS > wallClock(clock.now, clock.zone) ? of - DAY_MS : of;
  return between(at + start * MINUTE_MS, at + end * MINUTE_MS, clock);
}

/** Used parts of chrono's result. */
type Time = { get: (part: Part) => number | null; isCertain: (part: Part) => boolean; date: () => Date };
type Part = "year" | "month" | "day" | "weekday" | "hour" | "minute" | "second" | "timezoneOffset";

/** The precision of a parsed time. */
function unitOf(time: Time): "instant" | "day" | "month" {
  if (time.isCertain("hour")) return "instant";
  const isOfDay = time.isCertain("day") || time.isCertain("weekday") || !time.isCertain("month");
  return isOfDay ? "day" : "month";
}

/** The start of a parsed time on the zone's wall clock, encoded as if it were UTC. */
function wallStart(time: Time): number {
  const [unit, y, m] = [unitOf(time), time.get("year") ?? 0, (time.get("month") ?? 1) - 1];
  if (unit === "month") return Date.UTC(y, m);
  const day = Date.UTC(y, m, time.get("day") ?? 1);
  if (unit === "day") return day;
  const second = time.isCertain("second") ? (time.get("second") ?? 0) : 0;
  return day + (((time.get("hour") ?? 0) * 60 + (time.get("minute") ?? 0)) * 60 + second) * 1_000;
}

/** A wall-clock time moved by whole days, months or years. */
function movedBy(wall: number, by: { days?: number; months?: number; years?: number }): number {
  const at = new Date(wall);
  at.setUTCFullYear(
    at.getUTCFullYear() + (by.years ?? 0),
    at.getUTCMonth() + (by.months ?? 0),
    at.getUTCDate() + (by.days ?? 0),
  );
  return at.getTime();
}

/** Audit entries are in the past, so "monday", "march" and "14:00" mean the most recent ones. */
function intoThePast(start: Time, wallNow: number): (wall: number) => number {
  const isAhead = wallStart(start) > wallNow;
  if (!isAhead || start.isCertain("year")) return (wall) => wall;
  if (start.isCertain("month")) return (wall) => movedBy(wall, { years: -1 });
  if (start.isCertain("weekday")) return (wall) => movedBy(wall, { days: -7 });
  return start.isCertain("day") ? (wall) => wall : (wall) => movedBy(wall, { days: -1 });
}

/** Any other phrase: "last tuesday", "18 Nov 14:00", "oct 2026", an ISO 8601 datetime. */
async function naturalLanguage(text: string, clock: Clock): Promise<Span | null> {
  const { casual } = await import("chrono-node/en");
  const wallNow = wallClock(clock.now, clock.zone);
  const offset = (wallNow - Math.floor(clock.now.getTime() / 1_000) * 1_000) / MINUTE_MS;
  const [found] = casual.parse(text, { instant: clock.now, timezone: offset });
  if (!found || found.text.length !== text.length) return null;
  const { start, end } = found;
  const past = /\bnext\b/i.test(text) ? (wall: number) => wall : intoThePast(start, wallNow);
  const instant = (time: Time, wall: number) =>
    time.isCertain("timezoneOffset") ? time.date() : fromWallClock(past(wall), clock.zone);
  const from = instant(start, wallStart(start));
  const last: Time = end ?? start;
  const unit = unitOf(last);
  if (unit === "instant" && !end) return { from };
  const after = movedBy(wallStart(last), unit === "instant" ? {} : unit === "day" ? { days: 1 } : { months: 1 });
  const to = new Date(instant(last, after).getTime() - 1);
  return from < to ? { from, to } : null;
}

const PARTS_OF_DAY: Readonly<Record<string, string>> = {
  morning: "6:00 to 12:00",
  afternoon: "12:00 to 18:00",
  evening: "18:00 to 24:00",
  night: "18:00 to 24:00",
};

/** "between 9 and 10" and "yesterday afternoon" as a range of hours. */
const withHours = (text: string): string =>
  text
    .trim()
    .replace(/\b(?:between|from) (.+?) (?:and|till?|-) (?=\S)/i, "$1 to ")
    .replace(/ [-–] /, " to ")
    .replace(/^tonight$/i, "today night")
    .replace(/^last night$/i, "yesterday night")
    .replace(/^(?:(.+) )?(morning|afternoon|evening|night)$/i, (_, day: string | undefined, part: string) => {
      const named = !day || /^this$/i.test(day) ? "today" : day;
      return `${named} ${PARTS_OF_DAY[part.toLowerCase()] ?? ""}`;
    });

async function readTime(typed: string, clock: Clock): Promise<Span | null> {
  const plain = withHours(typed);
  const text = plain.toLowerCase();
  for (const read of [ago, epoch, isoDate, monthName, period]) {
    const span = read(text, clock);
    if (span) return span;
  }
  if (/^\d{4}(-\d{2}){0,2}$/.test(text)) return null;
  // "2026-11-18..2026-11-20", the range syntax of other search boxes.
  return (await hoursOfDay(text, clock)) ?? naturalLanguage(plain.replace(/\s*\.\.\s*/, " to "), clock);
}

/** Clamps a span to the server's range; null if it ends before that. */
function cut({ from, to }: Span): Span | null {
  if (to && !isInBounds(to)) return null;
  return { ...(from && { from: new Date(bounded(from.getTime())) }), ...(to && { to }) };
}

/** Parses a typed time; null if it is not one. An instant becomes the start of a span without an end. */
export async function parseTime(typed: string, clock: Clock): Promise<Span | null> {
  const span = await readTime(typed, clock);
  return span && cut(span);
}
