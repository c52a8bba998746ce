/** Number formats of SpreadsheetML (ECMA-376 18.8.30), as far as they decide what a cell's text is. */

/** How a cell style shows a number: as a moment, a span of time, in a fixed pattern of digits, or as it is. */
export type CellStyle =
  | { kind: "date" | "time" | "elapsed" | "plain" }
  | { kind: "digits"; pattern: readonly string[] };

export const PLAIN: CellStyle = { kind: "plain" };
const BUILT_IN_TIMES = [18, 19, 20, 21, 45, 47];
const BUILT_IN_ELAPSED = 46;
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** An m without hours or seconds beside it is a month. */
function momentStyle(code: string): CellStyle {
  const bare = code.replace(/"[^"]*"|\\./g, "");
  if (/\[(h+|m+|s+)\]/i.test(bare)) return { kind: "elapsed" };
  const letters = bare.replace(/\[[^\]]*\]/g, "");
  if (/[yd]/i.test(letters)) return { kind: "date" };
  if (/[hs]/i.test(letters)) return { kind: "time" };
  return /m/i.test(letters) ? { kind: "date" } : PLAIN;
}

function builtInStyle(id: number): CellStyle {
  if (id === BUILT_IN_ELAPSED) return { kind: "elapsed" };
  if (BUILT_IN_TIMES.includes(id)) return { kind: "time" };
  return isBuiltInDate(id) ? { kind: "date" } : PLAIN;
}

/**
 * A format of zeros and fixed characters alone, such as 000000 or 000-00: the zeros as "", the rest as it is shown.
 * A single zero is the plain format of whole numbers.
 */
function digitPattern(code: string): string[] | null {
  const [section = ""] = code.split(";");
  const tokens = section.match(/"[^"]*"|\\.|./g) ?? [];
  const pattern: string[] = [];
  for (const token of tokens) {
    if (token === "0") pattern.push("");
    else if (token.startsWith('"')) pattern.push(token.slice(1, -1));
    else if (token.startsWith("\\")) pattern.push(token.slice(1));
    else if (/^[-/ ():+]$/.test(token)) pattern.push(token);
    else return null;
  }
  const zeros = pattern.filter((part) => part === "").length;
  return zeros > 1 ? pattern : null;
}

/** The style of a number format: a custom one by its code, a built-in one by its number. */
export function styleOf(id: number, code: string | undefined): CellStyle {
  if (code === undefined) return builtInStyle(id);
  const pattern = digitPattern(code);
  return pattern ? { kind: "digits", pattern } : momentStyle(code);
}

const WHOLE = /^\d{1,15}$/;

/** A whole number in its pattern of digits: 7 as 000007. What the pattern cannot show stays as it is. */
export function inDigits(text: string, pattern: readonly string[]): string {
  if (!WHOLE.test(text)) return text;
  const places = pattern.filter((part) => part === "").length;
  const digits = text.padStart(places, "0");
  let at = digits.length - places;
  let shown = "";
  let isFirst = true;
  for (const part of pattern) {
    if (part !== "") shown += part;
    else if (isFirst) {
      // More digits than the pattern has places come before its first one.
      shown += digits.slice(0, at + 1);
      at++;
      isFirst = false;
    } else shown += digits[at++];
  }
  return shown;
}
