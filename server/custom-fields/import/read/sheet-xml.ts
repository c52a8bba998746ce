/** The few pieces of SpreadsheetML (ECMA-376) that tell what stands in the cells of a sheet. */

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** XML entities, and Excel's own _x000D_ for characters that XML cannot hold. */
function decode(text: string): string {
  const plain = text.includes("&")
    ? text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) => {
        if (name) return NAMED[name] ?? all;
        const code = Number.parseInt(hex ?? decimal, hex ? 16 : 10);
        return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
      })
    : text;
  return plain.includes("_x")
    ? plain.replace(/_x([0-9a-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    : plain;
}

export const attribute = (attributes: string, name: string): string | undefined =>
  new RegExp(`(?:^|\\s)(?:\\w+:)?${name}="([^"]*)"`).exec(attributes)?.[1];

/** The text of a string item: its runs joined, without phonetic hints. */
export function itemText(xml: string): string {
  const bare = xml.includes("rPh") ? xml.replace(/<(?:\w+:)?rPh\b[\s\S]*?<\/(?:\w+:)?rPh>/g, "") : xml;
  let text = "";
  for (const match of bare.matchAll(/<(?:\w+:)?t(?:\s[^>]*)?>([\s\S]*?)<\/(?:\w+:)?t>/g)) text += match[1];
  return decode(text);
}

const DAY_MS = 86_400_000;
/** Excel counts days from the last of 1899 (and believes in 29 February 1900), or from 1904. */
function toIso(serial: number, from1904: boolean): string {
  const days = from1904 ? serial + 1462 : serial;
  const date = new Date(Math.round((days - 25_569) * DAY_MS));
  return Number.isNaN(date.getTime())
    ? ""
    : date
        .toISOString()
        .replace(/T00:00:00\.000Z$/, "")
        .replace(/\.000Z$/, "Z");
}

const isDateFormat = (code: string): boolean => /[ymdhs]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ""));
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** For every cell style its number whether it shows a date. */
export function dateStyles(styles: string): boolean[] {
  const custom = new Map<number, boolean>();
  for (const [, attributes] of styles.matchAll(/<(?:\w+:)?numFmt\s([^>]*?)\/?>/g))
    custom.set(
      Number(attribute(attributes as string, "numFmtId")),
      isDateFormat(decode(attribute(attributes as string, "formatCode") ?? "")),
    );
  const list = /<(?:\w+:)?cellXfs\b[\s\S]*?<\/(?:\w+:)?cellXfs>/.exec(styles)?.[0] ?? "";
  return [...list.matchAll(/<(?:\w+:)?xf\s([^>]*)>/g)].map(([, attributes]) => {
    const id = Number(attribute(attributes as string, "numFmtId") ?? 0);
    return custom.get(id) ?? isBuiltInDate(id);
  });
}

export type SheetContext = { strings: readonly string[]; dates: readonly boolean[]; from1904: boolean };

/** A number as a person would write it: without the noise of the seventeenth digit, without an exponent. */
function numberText(raw: string): string {
  if (raw.length <= 15 && !/e/i.test(raw)) return raw;
  const value = Number(raw);
  return Number.isFinite(value) ? String(Number(value.toPrecision(15))) : raw;
}

function cellText(attributes: string, inner: string, context: SheetContext): string {
  const type = attribute(attributes, "t");
  if (type === "inlineStr") return itemText(inner);
  const raw = /<(?:\w+:)?v(?:\s[^>]*)?>([\s\S]*?)<\/(?:\w+:)?v>/.exec(inner)?.[1];
  if (raw === undefined || type === "e") return "";
  if (type === "s") return context.strings[Number(raw)] ?? "";
  if (type === "str") return decode(raw);
  if (type === "b") return raw === "1" ? "true" : "false";
  if (type === "d") return raw;
  const isDate = context.dates[Number(attribute(attributes, "s") ?? 0)] ?? false;
  return isDate ? toIso(Number(raw), context.from1904) : numberText(raw);
}

/** "C7" is column 2. */
function columnOf(reference: string | undefined, fallback: number): number {
  const letters = reference ? /^[A-Z]+/.exec(reference)?.[0] : undefined;
  if (!letters || letters.length > 3) return fallback;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

const CELL = /<(?:\w+:)?c(\s[^>]*?)?(?:\/>|>([\s\S]*?)<\/(?:\w+:)?c>)/g;

/** The cells of one row's XML; gaps are blank. */
export function rowCells(xml: string, context: SheetContext): string[] {
  const cells: string[] = [];
  for (const match of xml.matchAll(CELL)) {
    const attributes = match[1] ?? "";
    const place = columnOf(attribute(attributes, "r"), cells.length);
    while (cells.length < place) cells.push("");
    cells[place] = match[2] === undefined ? "" : cellText(attributes, match[2], context).trim();
  }
  return cells;
}
