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
 * A JSON number that a double may change: with a fraction, an exponent, 16 digits or more, or -0; of a longer one a part
 * that a double changes too. It may also match inside a string. The preceding character is matched, because lookbehind
 * takes 1.5 times as long.
 */
const CHANGEABLE =
  /(?:[:,[\s]|^)(-?\d{1,40}(?:\.\d{1,25}(?:[eE][+-]?\d{1,5})?|[eE][+-]?\d{1,5})|-?\d{16,40}|-0)(?=[\s,}\]\d]|$)/g;

const [QUOTE, BACKSLASH, PLUS, MINUS, DOT, ZERO, NINE, LOWER_E] = [34, 92, 43, 45, 46, 48, 57, 101];

// Not by regular expressions, and the one above has bounds: in a process that has compiled many, V8 keeps a backtracking
// point per character and throws at 4 million.

/** Index after the JSON string at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let run = end;
    while (text.charCodeAt(run - 1) === BACKSLASH) run--;
    if ((end - run) % 2 === 0) return end + 1;
  }
  return text.length;
}

const isDigitOrMinus = (code: number): boolean => (code >= ZERO && code <= NINE) || code === MINUS;
const isOfNumber = (code: number): boolean =>
  isDigitOrMinus(code) || code === DOT || code === PLUS || (code | 32) === LOWER_E;

/** Start and end of each number of a valid JSON text. */
function* numbersIn(text: string): Generator<[start: number, end: number]> {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (isDigitOrMinus(code)) {
      const start = at;
      while (isOfNumber(text.charCodeAt(at + 1))) at++;
      yield [start, at + 1];
    }
  }
}

/** True for a number that JSON.parse, JSON.stringify and the database (which expands exponents) preserve exactly. */
const isPlain = (digits: string): boolean => String(Number(digits)) === digits && !digits.includes("e");

/** Finds out about a text without such numbers, as nearly all are, five times as fast as numbersIn(). */
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

/** Path of the value at an index of a JSON text, of names and indexes. */
function pathTo(text: string, index: number): string {
  const path: (string | number)[] = [];
  let name = "";
  for (let at = 0; at < index; at++) {
    const token = text.charAt(at);
    if (token === "{") path.push("");
    else if (token === "[") path.push(0);
    else if (token === "}" || token === "]") path.pop();
    else if (token === "," && typeof path.at(-1) === "number") path.push(Number(path.pop()) + 1);
    else if (token === ":") path[path.length - 1] = name;
    else if (token === '"') {
      const end = endOfString(text, at);
      name = text.slice(at + 1, end - 1);
      at = end - 1;
    }
  }
  return path.join(".");
}

/** The JSON text with the numbers that `quote` chooses as strings of its making. */
function quoteNumbers(text: string, quote: (digits: string) => string | null): string {
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of numbersIn(text)) {
    const quoted = quote(text.slice(start, end));
    if (quoted === null) continue;
    parts.push(text.slice(done, start), `"${quoted}"`);
    done = end;
  }
  return parts.join("") + text.slice(done);
}

const markNumbers = (text: string): string => quoteNumbers(text, (digits) => (isPlain(digits) ? null : MARK + digits));

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
  for (const [start, end] of numbersIn(text)) {
    const digits = text.slice(start, end);
    const fault = isPlain(digits) ? null : faultOf(digits);
    if (fault) throw invalid(pathTo(text, start) || "body", fault);
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
  return JSON.parse(quoteNumbers(text, (digits) => (typeof doubleOrDigits(digits) === "string" ? digits : null)));
}
