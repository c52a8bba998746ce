type WellFormed = { isWellFormed(): boolean; toWellFormed(): string };

/**
 * NUL and lone surrogates, which PostgreSQL refuses, become U+FFFD: no log line is lost over one byte. One code unit
 * stands for one, so a length checked before still holds.
 */
export function repairText(text: string): string {
  const wellFormed = (text as unknown as WellFormed).isWellFormed()
    ? text
    : (text as unknown as WellFormed).toWellFormed();
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", "\ufffd") : wellFormed;
}

/** repairText over every key and value of parsed JSON; what needs no repair is returned as it is, uncopied. */
export function repairJson<T>(value: T): T {
  if (typeof value === "string") return repairText(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(repairJson);
    return (items.some((item, i) => item !== value[i]) ? items : value) as T;
  }
  let changed = false;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const repaired: [string, unknown] = [repairText(key), repairJson(item)];
    changed ||= repaired[0] !== key || repaired[1] !== item;
    return repaired;
  });
  return changed ? (Object.fromEntries(entries) as T) : value;
}

/** An ILIKE pattern for "contains this text": the wildcards and the escape character stand for themselves. */
export function containsPattern(text: string): string {
  return `%${repairText(text).replace(/[\\%_]/g, "\\$&")}%`;
}

const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Marks that turn the reading direction (Unicode, UAX 9) as their codes: a name must not rewrite the sentence around it. */
export const withVisibleMarks = (text: string): string =>
  text.replace(DIRECTION_MARKS, (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`);
