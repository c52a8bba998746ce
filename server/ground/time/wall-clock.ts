import { DAY_MS } from "./durations";

/** True for a zone name known to Intl; an offset such as "+02:00" is not. */
export function isZone(zone: string): boolean {
  try {
    return /^[A-Za-z]/.test(zone) && Boolean(new Intl.DateTimeFormat("en-GB", { timeZone: zone }));
  } catch {
    return false;
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    dateStyle: "short",
    timeStyle: "medium",
  });
  formats.set(zone, format);
  return format;
}

/** Offset of a zone from UTC at an instant, in milliseconds. */
export function offsetMs(zone: string, at: Date): number {
  if (zone === "UTC") return 0;
  const [, d, m, y, h, min, s] =
    /(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)/.exec(formatOf(zone).format(at))?.map(Number) ?? [];
  return Date.UTC(y ?? 0, (m ?? 1) - 1, d, h, min, s) - Math.floor(at.getTime() / 1000) * 1000;
}

/** Local time of a zone at an instant, as milliseconds to be read as UTC. */
export const wallClock = (at: Date, zone: string): number =>
  Math.floor(at.getTime() / 1000) * 1000 + offsetMs(zone, at);

/** "2026-11-20T14:02" in a zone, for a datetime-local field. */
export const toWallClock = (at: Date, zone: string): string =>
  new Date(at.getTime() + offsetMs(zone, at)).toISOString().slice(0, 16);

/**
 * First instant at which a zone shows this local time (read as UTC). In a skipped hour, the instant of the clock
 * change.
 */
export function fromWallClock(wallMs: number, zone: string): Date {
  const offsets = [-DAY_MS, DAY_MS].map((by) => offsetMs(zone, new Date(wallMs + by)));
  const [first = 0, second = 0] = offsets.map((offset) => wallMs - offset).sort((a, b) => a - b);
  const shows = (ms: number) => ms + offsetMs(zone, new Date(ms));
  const found = [first, second].find((ms) => shows(ms) === wallMs);
  if (found !== undefined) return new Date(found);
  let [before, after] = [first, second];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (shows(middle) < wallMs) before = middle;
    else after = middle;
  }
  return new Date(after);
}
