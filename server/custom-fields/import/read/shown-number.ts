import { DAY_MS } from "@/server/ground/time/durations";
import { type CellStyle, inDigits } from "./number-format";

const UNIX_EPOCH = 25_569;
const FROM_1904 = 1_462;
/** Excel believes in 29 February 1900, so its days before that one are a day later than those of the calendar. */
const NO_SUCH_DAY = 60;

const two = (n: number): string => String(n).padStart(2, "0");

/** Hours and minutes, and seconds where there are any. */
function clock(days: number): string {
  const seconds = Math.round(days * 86_400);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return s === 0 ? `${two(h)}:${two(m)}` : `${two(h)}:${two(m)}:${two(s)}`;
}

/** A serial number as ISO date, with a time of day where it has one. A workbook knows no time zone, so none is said. */
function moment(serial: number, from1904: boolean): string {
  if (!from1904 && Math.floor(serial) === NO_SUCH_DAY) return "1900-02-29";
  const days = from1904 ? serial + FROM_1904 : serial < NO_SUCH_DAY ? serial + 1 : serial;
  const date = new Date(Math.round((days - UNIX_EPOCH) * DAY_MS));
  if (Number.isNaN(date.getTime())) return "";
  return date.toISOString().replace(/T00:00:00\.000Z$|\.000Z$|Z$/, "");
}

/** 1.5e-7 in full: its own digits and zeros, none that are not known. */
export function withoutExponent(text: string): string {
  const [, sign = "", whole = "", part = "", exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole + part;
  const point = whole.length + Number(exponent);
  return point <= 0 ? `${sign}0.${"0".repeat(-point)}${digits}` : `${sign}${digits.padEnd(point, "0")}`;
}

/** A number as a person would write it: without the noise of the seventeenth digit, without an exponent. */
function plain(raw: string): string {
  const isExponent = /e/i.test(raw);
  if (!isExponent && (raw.length <= 15 || /^-?\d+$/.test(raw))) return raw;
  const value = Number(Number(raw).toPrecision(15));
  if (!Number.isFinite(value)) return raw;
  return withoutExponent(String(value));
}

/**
 * A cell's number as its style shows it: days as ISO dates, a part of a day as a time, a span as hours and minutes,
 * zeros where a pattern of digits has them.
 * @param raw the number as the sheet stores it. @param from1904 whether the workbook counts days from 1904.
 */
export function shownNumber(raw: string, style: CellStyle, from1904: boolean): string {
  if (style.kind === "digits") return inDigits(plain(raw), style.pattern);
  const serial = Number(raw);
  if (style.kind === "plain" || !Number.isFinite(serial) || serial < 0) return plain(raw);
  if (style.kind === "elapsed") return clock(serial);
  const isTime = serial < 1 && (style.kind === "time" || !from1904);
  return isTime ? clock(serial) : moment(serial, from1904);
}
