/** Maximum characters of a filter's value. */
export const MAX_FILTER_LENGTH = 255;

/** A UUID in the form of RFC 9562. */
export const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Replaces NUL and lone surrogates, which PostgreSQL refuses, by U+FFFD: no log line is lost over one byte. One code
 * unit replaces one, so checked lengths still hold. Both doors repair their input.
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

/** Maps texts and member names of parsed JSON; returns it as is if nothing changes. */
export const mapTexts = <T>(value: T, map: TextMap): T => mapped(value, map) as T;

/** Applies repairText to every key and value of parsed JSON. */
export const repairJson = <T>(value: T): T => mapTexts(value, { text: repairText, name: repairText });

const BREAKS = /(?!\0)[\p{Cc}\p{Zl}\p{Zp}]/u;

/** True if text has no line breaks or other control characters; NUL is stored as U+FFFD (repairText). */
export const isOneLine = (text: string): boolean => !BREAKS.test(text);

const RUNS_OF_BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Replaces line breaks and other control characters by spaces, so that stored text cannot add lines around it. */
export const inOneLine = (text: string): string => text.replace(RUNS_OF_BREAKS, " ");

/** A number with its noun: "1 chain", "0 chains". */
export const counted = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

/** "device" as "Device", "must be a date" as "Must be a date". */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** ILIKE pattern for "contains this text", with wildcards and escape character escaped. */
export function containsPattern(text: string): string {
  return `%${repairText(text).replace(/[\\%_]/g, "\\$&")}%`;
}

/** A text as it appears in a JSON string, for example with doubled backslashes. */
export const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Shows direction marks (Unicode, UAX 9) as codes, so that a name cannot rewrite the sentence around it. */
export const withVisibleMarks = (text: string): string =>
  text.replace(DIRECTION_MARKS, (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`);

const MAX_SLUG_LENGTH = 60;

/** A name for an address: ASCII letters, digits and hyphens; "organization" if nothing is left. */
export function toSlug(name: string): string {
  const ascii = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = ascii
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, "");
  return slug || "organization";
}
