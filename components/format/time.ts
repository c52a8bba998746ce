import { DAY_MS } from "@/server/ground/time/durations";
import { wallClock } from "@/server/ground/time/wall-clock";

/** The cookie through which the browser tells the server its time zone. */
export const ZONE_COOKIE = "trailmark.zone";

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      hourCycle: "h23",
      weekday: "long",
      day: "numeric",
      month: "long",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formats.set(zone, format);
  }
  return format;
}

type Parts = Record<"weekday" | "day" | "month" | "year" | "hour" | "minute" | "second", string>;

function partsOf(when: Date | string, zone: string): Parts {
  const parts = formatOf(zone).formatToParts(new Date(when));
  return Object.fromEntries(parts.map(({ type, value }) => [type, value])) as Parts;
}

/** "14:02:31" */
export function clock(when: Date | string, zone: string): string {
  const p = partsOf(when, zone);
  return `${p.hour}:${p.minute}:${p.second}`;
}

/** "20 Nov 2026" */
export function shortDate(when: Date | string, zone: string): string {
  const p = partsOf(when, zone);
  return `${p.day} ${p.month.slice(0, 3)} ${p.year}`;
}

/** "20 Nov 2026, 14:02:31" */
export const dateTime = (when: Date | string, zone: string): string => `${shortDate(when, zone)}, ${clock(when, zone)}`;

/** An instant in UTC, in local time and as seconds since 1970: the tooltip of every time. */
export const timeTooltip = (when: string, local: string): string =>
  [
    `${dateTime(when, "UTC")} UTC`,
    ...(local === "UTC" ? [] : [`${dateTime(when, local)} ${local.replaceAll("_", " ")}`]),
    `${new Date(when).getTime() / 1000} s since 1970`,
  ].join("\n");

/** "Today, 20 November 2026", "Thursday, 19 November 2026": the heading of a day's rows. */
export function dayName(when: Date | string, zone: string, now: Date): string {
  const p = partsOf(when, zone);
  const date = `${p.day} ${p.month} ${p.year}`;
  const day = shortDate(when, zone);
  if (day === shortDate(now, zone)) return `Today, ${date}`;
  // Calendar days, since a day may have 23 or 25 hours.
  if (day === shortDate(new Date(wallClock(now, zone) - DAY_MS), "UTC")) return `Yesterday, ${date}`;
  return `${p.weekday}, ${date}`;
}

/**
 * "UTC", or "Europe/Berlin, UTC+1": the zone of the times beside it. Includes the offset only if all given times share
 * it.
 */
export function zoneName(zone: string, ...times: (Date | string | null | undefined)[]): string {
  if (zone === "UTC") return "UTC";
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "shortOffset" });
  const offsetAt = (at: Date | string) =>
    format
      .formatToParts(new Date(at))
      .find(({ type }) => type === "timeZoneName")
      ?.value.replace("GMT", "UTC");
  const offsets = new Set(times.flatMap((at) => (at ? [offsetAt(at)] : [])));
  return [zone.replaceAll("_", " "), ...(offsets.size === 1 ? offsets : [])].join(", ");
}
