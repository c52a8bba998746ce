/** Characters of a filter's value. */
export const MAX_FILTER_LENGTH = 255;

/** An id as text, in the form of RFC 9562. */
export const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * NUL and lone surrogates, which PostgreSQL refuses, become U+FFFD: no log line is lost over one byte. One code unit
 * stands for one, so a length checked before still holds. Both doors repair what they are given.
 */
export function repairText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", "\ufffd") : wellFormed;
}

type TextMap = { text: (text: string) => unknown; name?: (name: string) => string };

function mapped(value: unknown, map: TextMap): unknown {
  if (typeof value === "string") return map.text(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapped(item, map));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  let changed = false;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const entry: [string, unknown] = [map.name?.(key) ?? key, mapped(item, map)];
    changed ||= entry[0] !== key || entry[1] !== item;
    return entry;
  });
  return changed ? Object.fromEntries(entries) : value;
}

/** Parsed JSON with its texts, and its member names, mapped; where nothing changes it is returned as it is, uncopied. */
export const mapTexts = <T>(value: T, map: TextMap): T => mapped(value, map) as T;

/** repairText over every key and value of parsed JSON. */
export const repairJson = <T>(value: T): T => mapTexts(value, { text: repairText, name: repairText });

const BREAKS = /(?!\0)[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Whether text has neither line breaks nor other control characters; NUL is stored as U+FFFD (repairText). */
export const isOneLine = (text: string): boolean => !BREAKS.test(text);

const RUNS_OF_BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Line breaks and other control characters as a space: what was stored must not add lines to what is written around it. */
export const inOneLine = (text: string): string => text.replace(RUNS_OF_BREAKS, " ");

/** A number with what it counts: "1 chain", "0 chains". */
export const counted = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

/** "device" as "Device", "must be a date" as "Must be a date". */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** An ILIKE pattern for "contains this text": the wildcards and the escape character stand for themselves. */
export function containsPattern(text: string): string {
  return `%${repairText(text).replace(/[\\%_]/g, "\\$&")}%`;
}

/** A text as JSON writes it between the quotation marks: backslashes are doubled, among others. */
export const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Marks that turn the reading direction (Unicode, UAX 9) as their codes: a name must not rewrite the sentence around it. */
export const withVisibleMarks = (text: string): string =>
  text.replace(DIRECTION_MARKS, (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`);

const MAX_SLUG_LENGTH = 60;

/** A name as it may be in an address: ASCII letters, digits and hyphens; "organization" where nothing is left. */
export function toSlug(name: string): string {
  const ascii = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = ascii
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, "");
  return slug || "organization";
}
