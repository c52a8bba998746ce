import { toSlug } from "@/server/ground/text";
import { MINUTE_MS } from "@/server/ground/time/durations";
import { toWallClock } from "@/server/ground/time/wall-clock";

/** Date and time of an instant in a zone. */
function clock(at: Date, zone: string): { day: string; time: string } {
  const [day = "", time = ""] = toWallClock(at, zone).split("T");
  return { day, time: time.replace(":", "") };
}

/** Rounds an inclusive end: 09:59:59.999 is 10:00, the last millisecond of a day is that day. */
function endOf(to: Date, zone: string): string {
  const isLast = (to.getTime() + 1) % MINUTE_MS === 0;
  const { day, time } = clock(isLast ? new Date(to.getTime() + 1) : to, zone);
  if (time !== "0000") return `${day}-${time}`;
  return clock(to, zone).day;
}

type Named = {
  /** The contents of the file. */
  what?: string;
  organization: string;
  from?: Date | undefined;
  to?: Date | undefined;
  now: Date;
  zone: string;
  /** The name's ending, such as csv or ndjson.gz. */
  ending: string;
};

/**
 * File name of an export or report: organization and range in the reader's zone, with times if both ends are set and
 * one is not midnight: "audit-northwind-dental-2026-11-13-to-2026-11-20.csv". An open start is omitted, an open end is
 * today.
 */
export function exportName({ what = "audit", organization, from, to, now, zone, ending }: Named): string {
  const stampOf = (at: Date): string => {
    const { day, time } = clock(at, zone);
    return !to || time === "0000" ? day : `${day}-${time}`;
  };
  const end = to ? endOf(to, zone) : clock(now, zone).day;
  const range = from ? `${stampOf(from)}-to-${end}` : `until-${end}`;
  return `${what}-${toSlug(organization)}-${range}.${ending}`;
}
