import { randomBytes } from "node:crypto";
import { invalid } from "./errors";
import { isObject } from "./records";
import { mapTexts } from "./text";

/**
 * JSON whose numbers keep their digits. A double would change 9007199254740993, 1.10 and 1e400, so a stored number is
 * held as text behind a mark known only to this process, and written as the original number. Of duplicate members the
 * last counts, as in JSON.parse.
 */
const MARK = `number ${randomBytes(12).toString("hex")} `;
const MARKED = new RegExp(`"${MARK}([-0-9.]+)"`, "g");

/** Far below the limit of PostgreSQL's numeric, and above any real value. */
const MAX_DIGITS = 1_000;

/**
 * A JSON number that a double may change: with a fraction, an exponent, 16 digits or more, or -0. It may also match
 * inside a string. The preceding character is matched, because lookbehind takes 1.5 times as long. `\d{15}\d+`, because
 * V8 keeps a backtracking point per digit of `\d{16,}` and throws at 5.6 million.
 */
const CHANGEABLE = /(?:[:,[\s]|^)(-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)|-?\d{15}\d+|-0)(?=[\s,}\]]|$)/g;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\],:]/gs;

/** True for a number that JSON.parse, JSON.stringify and the database (which expands exponents) preserve exactly. */
const isPlain = (digits: string): boolean => String(Number(digits)) === digits && !digits.includes("e");

const hasExact = (text: string): boolean => {
  for (const [, digits = ""] of text.matchAll(CHANGEABLE)) if (!isPlain(digits)) return true;
  return false;
};

/** Fault of a number that the database would not preserve. */
function faultOf(digits: string): string | null {
  if (/[eE]/.test(digits)) return "write the number without an exponent: it is kept digit for digit";
  if (/^-0(\.0*)?$/.test(digits)) return "write 0 without a sign: it is kept digit for digit";
  return digits.length > MAX_DIGITS ? `has more than ${MAX_DIGITS} digits` : null;
}

/** Path of a token in a JSON text, of names and indexes. */
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

/** Parses JSON stored or checked before; exact numbers become marked text. */
export const readExact = (text: string): unknown => JSON.parse(hasExact(text) ? markNumbers(text) : text);

/** Members of a stored JSON object; null for any other text. */
export function readMembers(text: string | null): Record<string, unknown> | null {
  const value = text === null ? null : readExact(text);
  return isObject(value) ? value : null;
}

/**
 * Parses untrusted JSON for storage.
 * @throws SyntaxError; AppError validation_failed naming the path of a number that cannot be preserved
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

/** Digits that suffice for every double: 0.10000000000000001 is JavaScript's 0.1. */
const MAX_DIGITS_OF_DOUBLE = 17;

/** A number's digits without outer zeros, and the power of ten of the last; null for an invalid number. */
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

/** True if the digits are as short as a double's, unless it is an integer, too large or too small. */
function isDouble(number: string): boolean {
  const [given, kept] = [decimalOf(number), decimalOf(String(Number(number)))];
  const isSame = given?.digits === kept?.digits && given?.power === kept?.power;
  const isRounded = !given || !kept || given.power >= 0 || kept.digits === "0";
  return isSame || (!isRounded && given.digits.replace("-", "").length <= MAX_DIGITS_OF_DOUBLE);
}

/** A JSON number as a double, or its digits as text if a double would change them. */
export const doubleOrDigits = (number: string): number | string =>
  isPlain(number) || isDouble(number) ? Number(number) : number;

/** Restores exact numbers in JSON text. */
export const writeExact = (json: string): string => (json.includes(MARK) ? json.replace(MARKED, "$1") : json);

/** Converts exact numbers to doubles, or to text if a double would change them. Returns values without any as is. */
export const plainNumbers = <T>(value: T): T =>
  mapTexts(value, { text: (text) => (text.startsWith(MARK) ? doubleOrDigits(text.slice(MARK.length)) : text) });

/**
 * Parses untrusted JSON for a schema: numbers as doubles, or as text if a double would change them, which the schema
 * refuses.
 * @throws SyntaxError
 */
export function parsePlain(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!hasExact(text)) return value;
  const isBeyondDouble = (token: string) => /^[-\d]/.test(token) && typeof doubleOrDigits(token) === "string";
  return JSON.parse(text.replace(TOKEN, (token) => (isBeyondDouble(token) ? `"${token}"` : token)));
}
