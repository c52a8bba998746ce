import { isObject } from "@/server/ground/records";
import { isZone } from "@/server/ground/time/wall-clock";
import { fault } from "./fault";
import type { Matcher } from "./match";

/** Extension of Sigma: entries outside office hours. */
export type Outside = Matcher;

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const KEYS = ["hours", "zone", "days"];

const minuteOf = (text: string): number => {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return 60 * hours + minutes;
};

/**
 * outside: {hours: 08:00-18:00, zone: Europe/Berlin, days: [Mon, Tue]}: matches any other time; by default Monday to
 * Friday and UTC.
 * @throws AppError validation_failed
 */
export function outsideOf(value: unknown): Outside {
  if (!isObject(value)) throw fault("outside must have hours");
  for (const key of Object.keys(value))
    if (!KEYS.includes(key))
      throw fault(`outside has the key ${key}, which is not supported: there are ${KEYS.join(", ")}`);
  const { hours, zone = "UTC", days = DAYS.slice(1, 6) } = value;
  const [, from, to] = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-4]):[0-5]\d)$/.exec(String(hours)) ?? [];
  if (!from || !to || minuteOf(from) >= minuteOf(to)) throw fault("outside.hours must be such as 08:00-18:00");
  if (typeof zone !== "string" || !isZone(zone)) throw fault("outside.zone is no time zone");
  const named = [days].flat();
  if (!named.every((day) => DAYS.some((one) => one === day))) throw fault(`outside.days must be of ${DAYS.join(", ")}`);
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  } as const);
  const [first, last] = [minuteOf(from), minuteOf(to)];
  return ({ timestamp }) => {
    const parts = new Map(format.formatToParts(new Date(timestamp)).map(({ type, value: part }) => [type, part]));
    const minute = 60 * Number(parts.get("hour")) + Number(parts.get("minute"));
    return !named.includes(parts.get("weekday")) || minute < first || minute >= last;
  };
}
