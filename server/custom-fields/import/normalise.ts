import { foldLetters, toFieldKey } from "@/server/custom-fields/schema";
import { withoutGuard } from "@/server/ground/csv";

/** Invisible marks: zero-width space, word joiner, writing direction. */
const INVISIBLE = new Set(["\u200b", "\u2060", "\u200e", "\u200f", "\ufeff"]);
const isBlankAt = (text: string, at: number): boolean => {
  const letter = text.charAt(at);
  return INVISIBLE.has(letter) || letter.trim() === "";
};

/** Trims spaces and invisible marks, which copying from web pages and documents leaves. */
export function trimText(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlankAt(text, start)) start++;
  while (end > start && isBlankAt(text, end - 1)) end--;
  return text.slice(start, end);
}

const EXCEL_TEXT = /^="((?:[^"]|"")*)"$/;

/** Removes Excel's text marker: ="00123". */
const unwrapped = (cell: string): string =>
  cell.startsWith('="') ? cell.replace(EXCEL_TEXT, (_, inner: string) => inner.replaceAll('""', '"')) : cell;

/** Dates by which MySQL, .NET, Access, OLE and Excel mean none. */
const NO_DATE =
  /^(?:0000-00-00|0001-01-01|1899-12-30|1900-01-00|(?:0?1[-/.]0?1[-/.]0001)|(?:30[-/.]12|12[-/.]30)[-/.]1899|(?:0?0[-/.]0?1|0?1[-/.]0?0)[-/.]1900)(?:[ T].*)?$/;
const NOTHING = /^\(?null\)?$/i;
/** NULL in text exports of MySQL and PostgreSQL. */
const DUMPED_NULL = "\\N";

/** Cleans a cell: trimmed, the ways to write "nothing" as "", without the guards of our own downloads. */
export function cleanCell(raw: string): string {
  const text = withoutGuard(trimText(unwrapped(trimText(raw))));
  return text === DUMPED_NULL || NOTHING.test(text) || NO_DATE.test(text) ? "" : text;
}

/**
 * Normalizes a header for comparison: ignores case, spaces, punctuation, accents and camel case. "Asset-Tag #",
 * "assetTag" and "ASSET TAG" are equal; a header of symbols only stays as is.
 */
export function normaliseHeader(title: string): string {
  const bare = foldLetters(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
  return bare || title.trim().toLowerCase();
}

const SECRET_WORDS =
  /^(password|passwd|pwd|passphrase|passcode|passwort|kennwort|pin|key|apikey|passkey|code|token|secret|credential)s?\d*$/;
const SECRET_PARTS = /password|passphrase|passwort|kennwort/;
/** Codes and keys that are no secrets. */
const OPEN_WORDS = /(^|_)(zip|postal|post|postcode|country|area|currency|language|dial|time_?zone)(_|$)/;

/** True for titles with password, key, code, PIN, token or similar words. */
export function namesSecret(title: string): boolean {
  const words = toFieldKey(title);
  return (
    SECRET_PARTS.test(words) || (words.split("_").some((word) => SECRET_WORDS.test(word)) && !OPEN_WORDS.test(words))
  );
}

const MASK_ONLY = /^[*•●∙·]{4,}$/;

/** True for a cell with a mask instead of a value, which is never imported. */
export const isMasked = (cell: string): boolean => MASK_ONLY.test(cell);

const ERROR_VALUES = new Set(
  "#N/A #REF! #VALUE! #DIV/0! #NAME? #NUM! #NULL! #SPILL! #CALC! #NV #N/V #BEZUG! #WERT! #ZAHL! #VALEUR! #NOM? #NOMBRE!".split(
    " ",
  ),
);

/** LibreOffice numbers errors unknown to Excel. */
const NUMBERED_ERROR = /^Err:5\d\d$/;

/** True for a spreadsheet's text of a failed formula (also German and French): no value. */
export const isErrorValue = (cell: string): boolean => ERROR_VALUES.has(cell) || NUMBERED_ERROR.test(cell);

/** Unique titles: blanks named by position, repeats numbered. */
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
