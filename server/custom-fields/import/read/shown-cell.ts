import { type CellObject, SSF } from "@e965/xlsx";

/** Digits kept by a double, and so by a spreadsheet. */
const MAX_DIGITS = 15;
const FIRST_LOST = 10 ** MAX_DIGITS;

/** Hours and minutes, and seconds if any. */
const clock = (days: number): string => String(SSF.format("[hh]:mm:ss", days)).replace(/(:\d\d):00$/, "$1");

/** Expands a number such as 1.5e-7, adding only zeros to its digits. */
export function withoutExponent(text: string): string {
  const [, sign = "", whole = "", part = "", exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole + part;
  const point = whole.length + Number(exponent);
  return point <= 0 ? `${sign}0.${"0".repeat(-point)}${digits}` : `${sign}${digits.padEnd(point, "0")}`;
}

/** A number without the noise of the seventeenth digit and without an exponent. */
const plain = (value: number): string => withoutExponent(String(Number(value.toPrecision(MAX_DIGITS))));

/**
 * A serial number as ISO date, with a time of day if any; beyond the year 9999 as it is. Workbooks have no time zone, so
 * none is given.
 */
function moment(serial: number, date1904: boolean): string {
  const text = String(SSF.format("yyyy-mm-dd\\Thh:mm:ss.000", serial, { date1904 }));
  return text.replace(/T00:00:00\.000$|\.000$/, "") || plain(serial);
}

/** Properties of a number format that decide how to read a cell; m without hours or seconds is a month. */
type Style =
  | { kind: "plain" | "elapsed" | "percent" | "padded" | "fraction" }
  | { kind: "moment"; hasDay: boolean; hasClock: boolean };

function styleOf(code: string): Style {
  const sections = code.split(";");
  // A section for zero or texts may precede the date section.
  const section = sections.find((one) => SSF.is_date(one)) ?? sections[0] ?? "";
  const bare = section.replace(/"[^"]*"|\\./g, "");
  if (SSF.is_date(code)) {
    if (/\[(h+|m+|s+)\]/i.test(bare)) return { kind: "elapsed" };
    const letters = bare.replace(/\[[^\]]*\]/g, "");
    const hasClock = /[hs]/i.test(letters);
    return { kind: "moment", hasDay: /[yd]/i.test(letters) || !hasClock, hasClock };
  }
  if (bare.includes("%")) return { kind: "percent" };
  // Fractions, and zero-padded formats: 000-00, "PC-"0000. A single zero is the plain integer format.
  const isPadded = /^[-0#/ ():+]*$/.test(bare) && bare.replace(/[^0]/g, "").length > 1;
  if (isPadded) return { kind: "padded" };
  return { kind: /[?#0]\/[?#\d]/.test(bare) ? "fraction" : "plain" };
}

const styles = new Map<string, Style>();
const MAX_STYLES = 1_000;
function knownStyle(code: string): Style {
  const style = styles.get(code) ?? styleOf(code);
  if (styles.size < MAX_STYLES) styles.set(code, style);
  return style;
}

/** "1 1/2" is 1.5: shows a fraction if it is exact. */
function isExact(shown: string, value: number): boolean {
  const [, whole = "0", over, under] = /^(\d+)?(?:^| )?(?:(\d+)\/(\d+))?$/.exec(shown) ?? [];
  return Number(whole) + (over && under ? Number(over) / Number(under) : 0) === value;
}

/** A number in its format if that loses nothing. */
function inFormat(value: number, code: string, isPadded: boolean): string {
  const isWhole = Number.isInteger(value) && value >= 0 && value < FIRST_LOST;
  let shown: string;
  try {
    shown = String(SSF.format(code, value)).trim().replace(/\s+/g, " ");
  } catch {
    // A format unknown to SheetJS: "#,##0 ?/?".
    return plain(value);
  }
  return (isPadded ? isWhole : isExact(shown, value)) ? shown : plain(value);
}

/** True for a number whose last digits a spreadsheet loses. */
export const hasLostDigits = ({ t, v }: CellObject): boolean =>
  t === "n" && typeof v === "number" && Number.isInteger(v) && Math.abs(v) >= FIRST_LOST;

/** True for a long number spoiled by a spreadsheet: 8.96529E+19. */
export const isSpoiledNumber = (text: string): boolean => /^[+-]?\d(?:[.,]\d+)?E\+\d{2,}$/i.test(text);

/**
 * A cell as people read it: days as ISO dates, a part of a day as a time, a span as hours and minutes; percent, exact
 * fractions and padded numbers as shown; a number whose format shows less, as stored.
 */
export function shownCell({ t, v, z }: CellObject, from1904: boolean): string {
  if (typeof v === "boolean") return String(v);
  if (t !== "n" || typeof v !== "number") return v === undefined ? "" : String(v);
  const code = String(z ?? "General");
  const style = knownStyle(code);
  if (style.kind === "percent") return `${plain(v * 100)}%`;
  if (style.kind === "padded" || style.kind === "fraction") return inFormat(v, code, style.kind === "padded");
  if (v >= 0 && style.kind === "elapsed") return clock(v);
  if (style.kind !== "moment") return plain(v);
  // Shown as 1900-01-00 or, in a strict file, the day before: no date.
  if ((v === 0 || v === -1) && style.hasDay && !from1904) return "";
  if (v < 0) return plain(v);
  if (!style.hasDay || (v < 1 && style.hasClock && !from1904)) return v < 1 ? clock(v) : moment(v, from1904);
  return moment(style.hasClock ? v : Math.floor(v), from1904);
}
