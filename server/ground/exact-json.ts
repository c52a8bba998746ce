import { randomBytes } from "node:crypto";
import { invalid } from "./errors";
import { isObject } from "./records";
import { mapTexts } from "./text";

/**
 * JSON whose numbers keep their digits. A double would change 9007199254740993, 1.10 and 1e400; so where a value is
 * stored as it came, such a number is held as text behind a mark that is unknown outside of this process, and
 * written out as the number that it was. Of members with one name the last counts, as in JSON.parse.
 */
const MARK = `number ${randomBytes(12).toString("hex")} `;
const MARKED = new RegExp(`"${MARK}([-0-9.]+)"`, "g");

/** PostgreSQL's numeric takes far more; no count or measurement needs it. */
const MAX_DIGITS = 1_000;

/**
 * A number between its neighbours in JSON that a double may change: one with a fraction, an exponent or 16 digits or more,
 * or -0. Within a string it may look the same. The neighbour before it is part of the match, as looking behind takes half as
 * long again. `\d{15}\d+`, because V8 keeps a place to return to for each digit of `\d{16,}` and throws at 5.6 million.
 */
const CHANGEABLE = /(?:[:,[\s]|^)(-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)|-?\d{15}\d+|-0)(?=[\s,}\]]|$)/g;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\],:]/gs;

/** True for a number that JSON.parse, JSON.stringify and the database (which writes exponents out) give back as it stands. */
const isPlain = (digits: string): boolean => String(Number(digits)) === digits && !digits.includes("e");

const hasExact = (text: string): boolean => {
  for (const [, digits = ""] of text.matchAll(CHANGEABLE)) if (!isPlain(digits)) return true;
  return false;
};

/** Numbers that the database would not give back digit for digit. */
function faultOf(digits: string): string | null {
  if (/[eE]/.test(digits)) return "write the number without an exponent: it is kept digit for digit";
  if (/^-0(\.0*)?$/.test(digits)) return "write 0 without a sign: it is kept digit for digit";
  return digits.length > MAX_DIGITS ? `has more than ${MAX_DIGITS} digits` : null;
}

/** Where in a JSON text a token is, as a path of names and indices. */
function pathTo(text: string, end: number): string {
  const path: (string | number)[] = [];
  let name = "";
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (index >= end) break;
    if (token === "{") path.push("");
    else if (token === "[") path.push(0);
    else if (token === "}" || token === "]") path.pop();
    else if (token === "," && typeof path.at(-1) === "number") path.push(Number(path.pop()) + 1);
    else if (token === ":") path[path.length - 1] = name;
    else if (token.startsWith('"')) name = token.slice(1, -1);
  }
  return path.join(".");
}

const markNumbers = (text: string): string =>
  text.replace(TOKEN, (token) => (/^[-\d]/.test(token) && !isPlain(token) ? `"${MARK}${token}"` : token));

/** Parses JSON that was stored or checked before; an exact number is text behind the mark. */
export const readExact = (text: string): unknown => JSON.parse(hasExact(text) ? markNumbers(text) : text);

/** The members of a stored JSON object; null for a text of anything else, and for none. */
export function readMembers(text: string | null): Record<string, unknown> | null {
  const value = text === null ? null : readExact(text);
  return isObject(value) ? value : null;
}

/**
 * Parses JSON from outside that will be stored.
 * @throws SyntaxError; AppError validation_failed naming the path of a number that could not be kept as it is
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!hasExact(text)) return value;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const fault = /^[-\d]/.test(token) && !isPlain(token) ? faultOf(token) : null;
    if (fault) throw invalid(pathTo(text, index) || "body", fault);
  }
  return JSON.parse(markNumbers(text));
}

/** Every double can be written with this many digits: 0.10000000000000001 is JavaScript's 0.1. */
const MAX_DIGITS_OF_DOUBLE = 17;

/** A number's digits without zeros at either end, and the power of ten of the last one; null for what is no number. */
function decimalOf(number: string): { digits: string; power: number } | null {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (sign === undefined) return null;
  const digits = (whole + fraction).replace(/^0+/, "");
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end--;
  if (end === 0) return { digits: "0", power: 0 };
  return { digits: sign + digits.slice(0, end), power: Number(exponent) - fraction.length + digits.length - end };
}

/** As many digits as doubles are written with are one of them, unless it is a whole number, too large or too small. */
function isDouble(number: string): boolean {
  const [given, kept] = [decimalOf(number), decimalOf(String(Number(number)))];
  const isSame = given?.digits === kept?.digits && given?.power === kept?.power;
  const isRounded = !given || !kept || given.power >= 0 || kept.digits === "0";
  return isSame || (!isRounded && given.digits.replace("-", "").length <= MAX_DIGITS_OF_DOUBLE);
}

/** A JSON number as a double, or as the text of its digits where a double would change them. */
export const doubleOrDigits = (number: string): number | string =>
  isPlain(number) || isDouble(number) ? Number(number) : number;

/** JSON text with its exact numbers as numbers. */
export const writeExact = (json: string): string => (json.includes(MARK) ? json.replace(MARKED, "$1") : json);

/**
 * The value with exact numbers as JavaScript takes them: as doubles, or as the text of their digits where a double would
 * change them. One without any is returned as it is, uncopied.
 */
export const plainNumbers = <T>(value: T): T =>
  mapTexts(value, { text: (text) => (text.startsWith(MARK) ? doubleOrDigits(text.slice(MARK.length)) : text) });

/**
 * Parses JSON from outside whose numbers a schema reads: doubles, or the text of their digits where a double would change
 * them, which a schema refuses where it wants a number.
 * @throws SyntaxError
 */
export function parsePlain(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!hasExact(text)) return value;
  const isBeyondDouble = (token: string) => /^[-\d]/.test(token) && typeof doubleOrDigits(token) === "string";
  return JSON.parse(text.replace(TOKEN, (token) => (isBeyondDouble(token) ? `"${token}"` : token)));
}
