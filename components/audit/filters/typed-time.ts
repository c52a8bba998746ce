import { fromWallClock, toWallClock, wallClock } from "@/server/time/wall-clock";
import type { Span } from "./range";

/** Whose clock a typed time is read by. */
export type Clock = { zone: string; now: Date };

const MINUTE_MS = 60_000;
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: 60 * MINUTE_MS,
  d: 24 * 60 * MINUTE_MS,
  w: 7 * 24 * 60 * MINUTE_MS,
};

type Read = (text: string, clock: Clock) => Span | null;

/** Dates and times of the zone's wall clock, the end left out. */
const between = (from: number, to: number, { zone }: Clock): Span => ({
  from: fromWallClock(from, zone),
  to: new Date(fromWallClock(to, zone).getTime() - 1),
});

/** "3h", "last 15 min": up to now. */
const ago: Read = (text, { now }) => {
  const [, n = "", unit = ""] =
    /^(?:last )?(\d{1,4}) ?(s|m|min|h|d|w)(?:in|ins|ours?|ays?|eeks?|utes?|rs?)?$/.exec(text) ?? [];
  const length = Number(n) * (UNIT_MS[unit] ?? 0);
  return length > 0 ? { from: new Date(now.getTime() - length) } : null;
};

/** Seconds or milliseconds since 1970. */
const epoch: Read = (text) => {
  if (!/^(\d{10}|\d{13})$/.test(text)) return null;
  return { from: new Date(text.length === 10 ? Number(text) * 1_000 : Number(text)) };
};

/** "2026-11-18", "2026-10", "2026": all of it. */
const isoDate: Read = (text, clock) => {
  const [, y, m, d] = (/^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text) ?? []).map(Number);
  if (!y || y < 1970 || (m && (m > 12 || m < 1)) || (d && new Date(Date.UTC(y, (m ?? 1) - 1, d)).getUTCDate() !== d))
    return null;
  if (!m) return between(Date.UTC(y, 0), Date.UTC(y + 1, 0), clock);
  return d
    ? between(Date.UTC(y, m - 1, d), Date.UTC(y, m - 1, d + 1), clock)
    : between(Date.UTC(y, m - 1), Date.UTC(y, m), clock);
};

/** "this week", "last month": from Monday, from the first. */
const period: Read = (text, clock) => {
  const [, which, unit] = /^(this|last) (week|month|year)$/.exec(text) ?? [];
  if (!which || !unit) return null;
  const today = new Date(wallClock(clock.now, clock.zone));
  const [y, m, d] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  const back = which === "last" ? 1 : 0;
  if (unit === "year") return between(Date.UTC(y - back, 0), Date.UTC(y - back + 1, 0), clock);
  if (unit === "month") return between(Date.UTC(y, m - back), Date.UTC(y, m - back + 1), clock);
  const monday = d - ((today.getUTCDay() + 6) % 7) - 7 * back;
  return between(Date.UTC(y, m, monday), Date.UTC(y, m, monday + 7), clock);
};

/** "9-10", "9:30 to 10:15": hours of a day. */
const HOURS = /(?:^|[\s,])(?:from )?(\d{1,2})(?::(\d{2}))?\s*(?:-|–|to|until)\s*(\d{1,2})(?::(\d{2}))?$/;

async function hoursOfDay(text: string, clock: Clock): Promise<Span | null> {
  const found = HOURS.exec(text);
  if (!found) return null;
  const [h1 = 0, m1 = 0, h2 = 0, m2 = 0] = found.slice(1).map((part) => Number(part ?? 0));
  const [start, end] = [h1 * 60 + m1, h2 * 60 + m2];
  const date = text.slice(0, found.index).trim();
  const day = date ? await parseTime(date, clock) : null;
  if (start >= end || end > 24 * 60 || m1 > 59 || m2 > 59 || (date && !day?.from)) return null;
  const midnight = `${toWallClock(day?.from ?? clock.now, clock.zone).slice(0, 10)}T00:00Z`;
  const at = Date.parse(midnight);
  return between(at + start * MINUTE_MS, at + end * MINUTE_MS, clock);
}

/** Anything else that people write: "last tuesday", "18 Nov 14:00", "oct 2026", an ISO 8601 datetime. */
async function spoken(text: string, clock: Clock): Promise<(Span & { index: number; text: string }) | null> {
  const { casual } = await import("chrono-node/en");
  const offset = (wallClock(clock.now, clock.zone) - Math.floor(clock.now.getTime() / 1_000) * 1_000) / MINUTE_MS;
  const [found] = casual.parse(text, { instant: clock.now, timezone: offset });
  if (!found) return null;
  type Time = typeof found.start;
  const wall = (time: Time) =>
    Date.UTC(
      time.get("year") ?? 0,
      (time.get("month") ?? 1) - 1,
      time.isCertain("day") || time.isCertain("weekday") ? (time.get("day") ?? 1) : 1,
      time.isCertain("hour") ? (time.get("hour") ?? 0) : 0,
      time.isCertain("hour") ? (time.get("minute") ?? 0) : 0,
      time.isCertain("second") ? (time.get("second") ?? 0) : 0,
    );
  const instant = (time: Time) =>
    time.isCertain("timezoneOffset") ? time.date() : fromWallClock(wall(time), clock.zone);
  const where = { index: found.index, text: found.text };
  if (found.end) return { from: instant(found.start), to: instant(found.end), ...where };
  const { start } = found;
  if (start.isCertain("hour")) return { from: instant(start), ...where };
  const first = new Date(wall(start));
  const isDay = start.isCertain("day") || start.isCertain("weekday");
  const [y, m, d] = [first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate()];
  return { ...between(first.getTime(), isDay ? Date.UTC(y, m, d + 1) : Date.UTC(y, m + 1), clock), ...where };
}

/** A typed time as a span; null for a text that is none. An instant is the beginning of an open span. */
export async function parseTime(typed: string, clock: Clock): Promise<Span | null> {
  const text = typed.trim().toLowerCase();
  for (const read of [ago, epoch, isoDate, period]) {
    const span = read(text, clock);
    if (span) return span;
  }
  if (/^\d{4}-\d{2}(-\d{2})?$/.test(text)) return null;
  const hours = await hoursOfDay(text, clock);
  if (hours) return hours;
  const found = await spoken(typed.trim(), clock);
  return found && found.text.length === typed.trim().length
    ? { from: found.from, ...(found.to && { to: found.to }) }
    : null;
}

/** The first time that a sentence mentions, and the sentence without it. */
export async function findTime(sentence: string, clock: Clock): Promise<{ span: Span; rest: string } | null> {
  const found = await spoken(sentence, clock);
  if (!found) return null;
  const { index, text, ...span } = found;
  return { span, rest: sentence.slice(0, index) + sentence.slice(index + text.length) };
}
