import { doubleOrDigits } from "@/server/ground/exact-json";
import { repairText } from "@/server/ground/text";
import { type DateOrder, type FieldType, type FieldValue, MAX_TEXT_VALUE } from "./schema";

/** Part of a definition that validates values. */
export type FieldRule = { type: FieldType; options: readonly string[] | null };
export type Coerced = { ok: true; value: FieldValue } | { ok: false; reason: string };

const no = (reason: string): Coerced => ({ ok: false, reason });
const yes = (value: FieldValue): Coerced => ({ ok: true, value });
/** A double rounds digits beyond this. */
const MAX_DIGITS = 15;

const isRealDate = (year: number, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day));
  return year >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
};
const isoDate = (year: number, month: number, day: number): string =>
  `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:00)?)?$/;
/** A date field keeps the day and drops a time of day, as databases and spreadsheets append. */
const CLOCK = /[T ,]+(\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)? ?(?:[AP]\.?M\.?)?)(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?$/i;
const MIDNIGHT = /^(?:0?0:00(?::00(?:[.,]0+)?)?|12:00(?::00)? ?AM)$/i;
const NUMERIC_DATE = /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})$/;
/** 15-Apr-2026, 15. April 2026, 2026-Apr-15; and Apr 15, 2026. */
const NAMED_DATE = /^(\d{1,4})[-/. ]+(\p{L}{3,10})[-/., ]+(\d{1,4})$/u;
const NAME_FIRST = /^(\p{L}{3,10})[-/. ]+(\d{1,2})[-/., ]+(\d{4})$/u;

const LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt", "pl", "sv", "da", "cs", "tr"];

/** Month names, long and short, in each language, without ambiguous ones. */
const MONTHS: ReadonlyMap<string, number> = (() => {
  const months = new Map<string, number>();
  for (const month of ["long", "short"] as const)
    for (const language of LANGUAGES)
      for (let n = 1; n <= 12; n++) {
        const format = new Intl.DateTimeFormat(language, { month, day: "numeric", timeZone: "UTC" });
        const name = format.formatToParts(Date.UTC(2026, n - 1, 1)).find(({ type }) => type === "month")?.value ?? "";
        const word = name.toLowerCase().replace(/\.$/, "");
        const known = months.get(word);
        months.set(word, known === undefined || known === n ? n : 0);
      }
  return months;
})();

/** A date's three numbers in order, and whether a time other than midnight follows. */
export type DateParts = { numbers: [string, string, string]; month: number | null; hasClock: boolean };

export function dateParts(text: string): DateParts | null {
  const clock = CLOCK.exec(text);
  const day = clock ? text.slice(0, clock.index) : text;
  const hasClock = clock !== null && !MIDNIGHT.test(clock[1] ?? "");
  const [numeric, first = "", , second = "", third = ""] = NUMERIC_DATE.exec(day) ?? [];
  if (numeric !== undefined) return { numbers: [first, second, third], month: null, hasClock };
  const [, before = "", name = "", after = ""] = NAMED_DATE.exec(day) ?? [];
  const [, word = name, ofMonth = "", year = ""] = NAME_FIRST.exec(day) ?? [];
  const month = MONTHS.get(word.toLowerCase());
  if (!month) return null;
  return { numbers: [before || ofMonth, String(month), after || year], month, hasClock };
}

/** Two-digit years: 00 to 69 are in this century, as in POSIX. */
const PIVOT = 70;
const fullYear = (year: string): number =>
  year.length > 2 ? Number(year) : Number(year) + (Number(year) < PIVOT ? 2000 : 1900);

function parseDate(text: string, order: DateOrder): Coerced {
  const parts = dateParts(text);
  if (!parts) return no("is not a date");
  const [a, b, c] = parts.numbers;
  const yearFirst = a.length > 2 || (order === "ymd" && a.length === 2 && c.length <= 2 && parts.month === null);
  if (!yearFirst && order === "ymd" && parts.month === null) return no("does not begin with the year");
  if ([a, c].every((one) => one.length === 3) || b.length > 2) return no("is not a valid date");
  if (yearFirst) return dateOf(fullYear(a), Number(b), Number(c));
  return order === "mdy" && parts.month === null
    ? dateOf(fullYear(c), Number(a), Number(b))
    : dateOf(fullYear(c), Number(b), Number(a));
}

const dateOf = (year: number, month: number, day: number): Coerced =>
  isRealDate(year, month, day) ? yes(isoDate(year, month, day)) : no("is not a valid date");

/** Thousands separators: 1 234 567, 1'234. */
const THOUSANDS = /(?<=\d)[ \u00a0\u202f'’](?=\d{3}(?!\d))/g;
const PLAIN = /^[+-]?\d+(?:\.\d+)?$/;
/** One point and three digits: a thousands separator if commas are decimal. */
const OPEN_POINT = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;
const WITH_COMMA = /^[+-]?\d+,\d+$/;
/** One comma and three digits: decimal comma or thousands separator. */
const OPEN_COMMA = /^[+-]?[1-9]\d{0,2},\d{3}$/;
const GROUPED_BY_POINT = /^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d+|\.\d{3})$/;
const GROUPED_BY_COMMA = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+|,\d{3})$/;

/** A number with a decimal point and no thousands separators; null for any other text. */
function plainNumber(text: string): string | null {
  if (PLAIN.test(text)) return text;
  const bare = text.replace(THOUSANDS, "");
  if (GROUPED_BY_POINT.test(bare)) return bare.replaceAll(".", "").replace(",", ".");
  if (GROUPED_BY_COMMA.test(bare)) return bare.replaceAll(",", "");
  if (WITH_COMMA.test(bare)) return bare.replace(",", ".");
  return PLAIN.test(bare) ? bare : null;
}

function parseNumber(text: string, decimalComma: boolean): Coerced {
  if (OPEN_COMMA.test(text))
    return no(`may be ${text.replace(",", "")} or ${text.replace(",", ".")}: write it without the comma`);
  const number = decimalComma && OPEN_POINT.test(text) ? text.replace(".", "") : plainNumber(text);
  if (number === null) return no("is not a number (digits with at most one decimal point or comma)");
  const digits = number.replace(/[^0-9]/g, "").replace(/^0+/, "").length;
  if (digits > MAX_DIGITS) return no(`has more than ${MAX_DIGITS} digits`);
  return yes(Number(number) + 0);
}

/** Yes and no as written by people, databases and spreadsheets in each language. */
const WORDS: Record<string, readonly [yes: string, no: string]> = {
  digits: ["1", "0"],
  en: ["true yes y on checked t", "false no n off unchecked f"],
  de: ["wahr ja", "falsch nein"],
  fr: ["vrai oui", "faux non"],
  es: ["verdadero sí si", "falso"],
  it: ["vero sì", "falso"],
  nl: ["waar", "onwaar nee"],
  pt: ["verdadeiro sim", "não nao"],
  pl: ["prawda tak", "fałsz nie"],
  sv: ["sant", "falskt nej"],
  da: ["sand", "falsk"],
  cs: ["pravda ano", "nepravda ne"],
  tr: ["doğru evet", "yanlış hayır"],
};
const wordsOf = (i: 0 | 1): ReadonlySet<string> =>
  new Set(Object.values(WORDS).flatMap((words) => words[i].split(" ")));
export const TRUE_WORDS = wordsOf(0);
export const FALSE_WORDS = wordsOf(1);

function parseBoolean(text: string): Coerced {
  const word = text.toLowerCase();
  if (TRUE_WORDS.has(word)) return yes(true);
  return FALSE_WORDS.has(word) ? yes(false) : no("is neither yes nor no");
}

/** JSON numbers that a double would change arrive as text (exact-json.ts). */
const isBeyondDouble = (value: unknown): boolean =>
  typeof value === "string" && typeof doubleOrDigits(value) === "string";

/**
 * Validates every custom field value: a typed value (from JSON) against a definition.
 * @returns the value to store, or why it does not fit.
 */
export function coerceValue(rule: FieldRule, value: unknown): Coerced {
  switch (rule.type) {
    case "boolean":
      return typeof value === "boolean" ? yes(value) : no("must be true or false");
    case "number":
      if (typeof value === "number" && Number.isFinite(value)) return yes(value + 0);
      return no(isBeyondDouble(value) ? "has more digits than are kept, it would be rounded" : "must be a number");
    case "date": {
      const match = typeof value === "string" ? ISO_DATE.exec(value) : null;
      if (!match) return no("must be a date as YYYY-MM-DD");
      const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
      return isRealDate(year, month, day) ? yes(isoDate(year, month, day)) : no("is not a valid date");
    }
    case "dropdown":
      if (typeof value !== "string") return no("must be one of the field's choices");
      return rule.options?.includes(value) ? yes(value) : no("is not one of the field's choices");
    case "text": {
      if (typeof value !== "string") return no("must be text");
      return value.length <= MAX_TEXT_VALUE
        ? yes(repairText(value))
        : no(`is longer than ${MAX_TEXT_VALUE} characters`);
    }
  }
}

/** Choice equal to a text, or the only one equal except for case. */
function findChoice(options: readonly string[] | null, text: string): string {
  if (!options || options.includes(text)) return text;
  const [only, second] = options.filter((option) => option.toLowerCase() === text.toLowerCase());
  return only !== undefined && second === undefined ? only : text;
}

/** How a column writes dates and decimals. */
type Notation = { dateOrder?: DateOrder; decimalComma?: boolean };

/** Validates a trimmed, nonblank cell of an imported file: parses it by type, then checks it like any other value. */
export function coerceText(
  rule: FieldRule,
  text: string,
  { dateOrder = "ymd", decimalComma = false }: Notation = {},
): Coerced {
  const read =
    rule.type === "number"
      ? parseNumber(text, decimalComma)
      : rule.type === "boolean"
        ? parseBoolean(text)
        : rule.type === "date"
          ? parseDate(text, dateOrder)
          : yes(rule.type === "dropdown" ? findChoice(rule.options, text) : text);
  return read.ok ? coerceValue(rule, read.value) : read;
}
