import { FIELD_KEY, MAX_FIELD_KEY, RESERVED_KEYS } from "@/server/custom-fields/schema";

/** Marks that show nothing: a zero-width space, a joiner of words, signs of writing direction. */
const INVISIBLE = new Set(["\u200b", "\u2060", "\u200e", "\u200f", "\ufeff"]);
const isBlankAt = (text: string, at: number): boolean => {
  const letter = text.charAt(at);
  return INVISIBLE.has(letter) || letter.trim() === "";
};

/** A text without the spaces and invisible marks at its ends, which pages and documents leave in what is copied. */
export function trimText(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlankAt(text, start)) start++;
  while (end > start && isBlankAt(text, end - 1)) end--;
  return text.slice(start, end);
}

const EXCEL_TEXT = /^="((?:[^"]|"")*)"$/;

/** Excel's way to keep a text such as 00123 from becoming a number: ="00123". */
export const unwrapped = (cell: string): string =>
  cell.startsWith('="') ? cell.replace(EXCEL_TEXT, (_, inner: string) => inner.replaceAll('""', '"')) : cell;

const fold = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/ß/g, "ss")
    .replace(/[øØ]/g, "o")
    .replace(/[æÆ]/g, "ae")
    .replace(/[łŁ]/g, "l")
    .replace(/[đĐ]/g, "d");

/**
 * What two headers are compared by: case, spaces, punctuation, accents and camel case do not count.
 * "Asset-Tag #", "assetTag" and "ASSET TAG" are one; a header of symbols alone stays what it is.
 */
export function normaliseHeader(title: string): string {
  const bare = fold(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
  return bare || title.trim().toLowerCase();
}

/** A title as a field key: "AssetTag (old)" is asset_tag_old. Keys start with a letter. */
export function toFieldKey(title: string): string {
  const snake = fold(title)
    .replace(/([a-z][0-9]*)([A-Z])/g, "$1_$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  const key = (/^[a-z]/.test(snake) ? snake : snake ? `field_${snake}` : "field").slice(0, MAX_FIELD_KEY);
  return FIELD_KEY.test(key) ? key : "field";
}

/** The title's key, with a number appended where the key is taken or a reserved word; the new key counts as taken from then on. */
export function freeFieldKey(title: string, taken: Set<string>): string {
  const base = toFieldKey(title);
  let key = base;
  for (let n = 2; taken.has(key) || RESERVED_KEYS.has(key); n++) key = `${base.slice(0, MAX_FIELD_KEY - 5)}_${n}`;
  taken.add(key);
  return key;
}

const SECRET_WORDS =
  /^(password|passwd|pwd|passphrase|passcode|passwort|kennwort|pin|key|apikey|passkey|code|token|secret|credential)s?\d*$/;
const SECRET_PARTS = /password|passphrase|passwort|kennwort/;
/** Codes and keys that lock nothing. */
const OPEN_WORDS = /(^|_)(zip|postal|post|postcode|country|area|currency|language|dial|time_?zone)(_|$)/;

/** True for a title that says password, key, code, PIN, token or the like. */
export function namesSecret(title: string): boolean {
  const words = toFieldKey(title);
  return (
    SECRET_PARTS.test(words) || (words.split("_").some((word) => SECRET_WORDS.test(word)) && !OPEN_WORDS.test(words))
  );
}

const MASK_ONLY = /^[*•●∙·]{4,}$/;

/** True for a cell in which the product shows a mask instead of the value: never a value to import. */
export const isMasked = (cell: string): boolean => MASK_ONLY.test(cell);

const ERROR_VALUES = new Set(
  "#N/A #REF! #VALUE! #DIV/0! #NAME? #NUM! #NULL! #SPILL! #CALC! #NV #N/V #BEZUG! #WERT! #ZAHL! #VALEUR! #NOM? #NOMBRE!".split(
    " ",
  ),
);

/** LibreOffice numbers the errors that Excel does not know. */
const NUMBERED_ERROR = /^Err:5\d\d$/;

/** True for what a spreadsheet writes into a text file where a formula failed (also in German and French): no value. */
export const isErrorValue = (cell: string): boolean => ERROR_VALUES.has(cell) || NUMBERED_ERROR.test(cell);

/** Header cells as unique titles: a blank one is named after its place, a repeated one numbered. */
export function uniqueTitles(cells: readonly string[]): string[] {
  const seen = new Set<string>();
  return cells.map((cell, i) => {
    const title = unwrapped(trimText(cell)).replace(/\s+/g, " ") || `Column ${i + 1}`;
    let name = title;
    for (let n = 2; seen.has(name.toLowerCase()); n++) name = `${title} (${n})`;
    seen.add(name.toLowerCase());
    return name;
  });
}
