import { doubleOrDigits } from "@/server/ground/exact-json";
import { repairText } from "@/server/ground/text";
import { type DateOrder, type FieldType, type FieldValue, MAX_TEXT_VALUE } from "./schema";

/** What of a definition decides whether a value fits. */
export type FieldRule = { type: FieldType; options: readonly string[] | null };
export type Coerced = { ok: true; value: FieldValue } | { ok: false; reason: string };

const no = (reason: string): Coerced => ({ ok: false, reason });
const yes = (value: FieldValue): Coerced => ({ ok: true, value });
/** Digits beyond this are rounded by a double. */
const MAX_DIGITS = 15;

const isRealDate = (year: number, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day));
  return year >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
};
const isoDate = (year: number, month: number, day: number): string =>
  `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:00)?)?$/;
/** Day, month and year as people and databases write them; a time of day is allowed at midnight alone. */
const ANY_DATE =
  /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:[T ]+(?:0?0:00(?::00(?:\.0+)?)?|12:00(?::00)? ?AM)(?:Z|[+-]00:00)?)?$/i;

/** The three numbers of a date in their order, or null. */
export function dateParts(text: string): [string, string, string] | null {
  const [match, first = "", , second = "", third = ""] = ANY_DATE.exec(text) ?? [];
  return match === undefined ? null : [first, second, third];
}

function parseDate(text: string, order: DateOrder): Coerced {
  const parts = dateParts(text);
  if (!parts) return no("is not a date without a time of day");
  const yearFirst = parts[0].length === 4;
  const [a, b, c] = [Number(parts[0]), Number(parts[1]), Number(parts[2])];
  if (!yearFirst && parts[2].length !== 4) return no("has no year of four digits");
  if (!yearFirst && order === "ymd") return no("does not begin with the year");
  const [year, month, day] = yearFirst ? [a, b, c] : order === "dmy" ? [c, b, a] : [c, a, b];
  return isRealDate(year, month, day) ? yes(isoDate(year, month, day)) : no("is not a valid date");
}

const NUMBER = /^[+-]?(\d+)(?:\.(\d+))?$/;
function parseNumber(text: string): Coerced {
  const match = NUMBER.exec(text);
  if (!match) return no("is not a plain number (digits with at most one decimal point)");
  const digits = `${match[1]}${match[2] ?? ""}`.replace(/^0+/, "").length;
  if (digits > MAX_DIGITS) return no(`has more than ${MAX_DIGITS} digits`);
  return yes(Number(text) + 0);
}

export const TRUE_WORDS: ReadonlySet<string> = new Set(["1", "true", "yes", "y", "on", "checked", "t"]);
export const FALSE_WORDS: ReadonlySet<string> = new Set(["0", "false", "no", "n", "off", "unchecked", "f"]);
function parseBoolean(text: string): Coerced {
  const word = text.toLowerCase();
  if (TRUE_WORDS.has(word)) return yes(true);
  return FALSE_WORDS.has(word) ? yes(false) : no("is neither yes nor no");
}

/** The digits of a JSON number that a double would change come as text (exact-json.ts). */
const isBeyondDouble = (value: unknown): boolean =>
  typeof value === "string" && typeof doubleOrDigits(value) === "string";

/**
 * The one validator of custom field values: a typed value (from JSON) against a definition.
 * @returns the value as it is stored, or why it does not fit.
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

/** The choice that a text means: equal, or else the only one that is equal but for case. */
function findChoice(options: readonly string[] | null, text: string): string {
  if (!options || options.includes(text)) return text;
  const [only, second] = options.filter((option) => option.toLowerCase() === text.toLowerCase());
  return only !== undefined && second === undefined ? only : text;
}

/**
 * A cell of an imported file, already trimmed and not blank, against a definition: first read as its type, then
 * held to the same validator as every other value.
 */
export function coerceText(rule: FieldRule, text: string, dateOrder: DateOrder = "ymd"): Coerced {
  const read =
    rule.type === "number"
      ? parseNumber(text)
      : rule.type === "boolean"
        ? parseBoolean(text)
        : rule.type === "date"
          ? parseDate(text, dateOrder)
          : yes(rule.type === "dropdown" ? findChoice(rule.options, text) : text);
  return read.ok ? coerceValue(rule, read.value) : read;
}
