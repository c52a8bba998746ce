import { isMasked, namesSecret, normaliseHeader } from "@/server/custom-fields/import/normalise";
import type { Preset } from "@/server/custom-fields/import/presets";
import { requireHeader } from "./column-list";
import { detectEncoding, isGzip, isWorkbookHead, readText, textHead } from "./decode";
import type { Encoding, FileFormat, SheetInfo } from "./file-schema";
import type { FileNotes } from "./notes";
import { detectDelimiter, findHeader, type RawRecord, readDelimited } from "./read-delimited";
import { refuseForeign, refuseForeignText, refusePacked } from "./signature";
import { detectShape, identifierOf, longColumns } from "./table-shape";
import { readWorkbook, type WorkbookHead, workbookHead } from "./workbook";

/**
 * Detected format. headerDoubts: signs that the header is a row of values; encodingGuess: in words, that the encoding
 * is a guess.
 */
export type Detected = {
  format: FileFormat;
  sheets: readonly SheetInfo[];
  headerDoubts: string[];
  encodingGuess: string | null;
};

const HEAD_RECORDS = 60;
/** Sheets searched for a header known to the product. */
const MAX_LOOKED_INTO = 20;

/** Spare rows for blank and hidden ones among those requested. */
const SPARE_ROWS = 1_000;

/** Raw records of a text file or workbook, header included; `limit` reads only the first. */
export function rawRecords(
  path: string,
  format: FileFormat,
  { notes, limit }: { notes?: FileNotes | undefined; limit?: number | undefined },
): AsyncGenerator<RawRecord> {
  if (format.kind === "workbook")
    return readWorkbook(path, format.sheet ?? null, {
      notes,
      withHidden: format.withHidden ?? false,
      rows: limit === undefined ? undefined : limit + format.headerRow + SPARE_ROWS,
    });
  const { gzip, encoding, delimiter, quote } = format;
  return readDelimited(readText(path, gzip, encoding), { delimiter, quote, notes });
}

type Head = { name: string | null; records: string[][]; headerRow: number; titles: string[] };

function headOfSheet(workbook: WorkbookHead, name: string): Head {
  const records: string[][] = [];
  for (const { cells } of workbook.rows(name)) if (records.push(cells.map((cell) => cell ?? "")) >= HEAD_RECORDS) break;
  const headerRow = findHeader(records);
  return { name, records, headerRow, titles: requireHeader(records[headerRow - 1] ?? []) };
}

const isKnown = ({ titles }: Head, preset: Preset): boolean =>
  titles.some((title) => identifierOf(title, preset) !== undefined) || longColumns(titles, preset) !== null;

/** Chooses a sheet: visible ones first, then one with a header known to the product, then one that is not blank. */
function chooseSheet(workbook: WorkbookHead, preset: Preset): Head {
  const byVisibility = [false, true].map((isHidden) => workbook.sheets.filter((sheet) => sheet.isHidden === isHidden));
  for (const sheets of byVisibility) {
    const heads = sheets.slice(0, MAX_LOOKED_INTO).map(({ name }) => headOfSheet(workbook, name));
    const found = heads.find((head) => isKnown(head, preset)) ?? heads.find(({ records }) => records.length > 0);
    if (found) return found;
  }
  return { name: null, records: [], headerRow: 1, titles: [] };
}

/** Rows below the header to compare it with. */
const COMPARED = 30;
const MIN_COMPARED = 2;
const MIN_ALIKE = 0.6;
/** Signs reported, and characters quoted of a cell. */
const MAX_DOUBTS = 4;
const SHOWN_CHARS = 40;

/** Shape of a cell: WS-001 and PC-17 are both a-9. */
const shapeOf = (cell: string): string =>
  cell
    .trim()
    .replace(/\p{N}+/gu, "9")
    .replace(/\p{L}+/gu, "a");

/** Reason that a title looks like a value of its column; null if it does not. */
function likeBelow(title: string, below: readonly string[]): string | null {
  const text = title.trim();
  const filled = below.map((cell) => cell.trim()).filter((cell) => cell !== "");
  if (text === "" || filled.length < MIN_COMPARED) return null;
  const name = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
  if (filled.some((cell) => cell.toLowerCase() === text.toLowerCase()))
    return `${name} stands among the values below it`;
  const shape = shapeOf(text);
  if (!shape.includes("9")) return null;
  const alike = filled.filter((cell) => shapeOf(cell) === shape).length;
  return alike >= filled.length * MIN_ALIKE
    ? `${name} looks like ${alike} of the ${filled.length} values below it`
    : null;
}

/**
 * Signs that the header is a row of values: no cell is a title known to the product, and some look like the cells below
 * or are among them. None: it is a header.
 */
function headerDoubts(records: readonly (readonly string[])[], headerRow: number, preset: Preset): string[] {
  const titles = records[headerRow - 1] ?? [];
  const known = new Set([...preset.fieldColumn, ...preset.valueColumn, ...preset.ignored]);
  if (titles.some((title) => identifierOf(title, preset) || known.has(normaliseHeader(title)))) return [];
  const below = records.slice(headerRow, headerRow + COMPARED);
  return titles
    .flatMap((title, i) => {
      const isSecret = namesSecret(title) || isMasked(title);
      const cells = below.map((cells) => cells[i] ?? "");
      return isSecret ? [] : (likeBelow(title, cells) ?? []);
    })
    .slice(0, MAX_DOUBTS);
}

async function detectWorkbook(path: string, preset: Preset, base: Base): Promise<Detected> {
  const workbook = await workbookHead(path, HEAD_RECORDS + SPARE_ROWS);
  const { name, records, headerRow, titles } = chooseSheet(workbook, preset);
  const format = { ...base, kind: "workbook", headerRow, shape: detectShape(titles, preset), sheet: name } as const;
  return {
    format,
    sheets: workbook.sheets,
    headerDoubts: headerDoubts(records, headerRow, preset),
    encodingGuess: null,
  };
}

/** A non-ASCII word, which shows whether the encoding is right. */
const FOREIGN_WORD = /[^\s,;|"']*[^\0-\x7f][^\s,;|"']*/;

const guessText = (encoding: Encoding, text: string): string =>
  `The encoding is a guess (${encoding})${FOREIGN_WORD.test(text) ? `: if “${FOREIGN_WORD.exec(text)?.[0].slice(0, 40)}” is not what the file says, choose another` : ""}.`;

type Base = Pick<FileFormat, "gzip" | "encoding" | "delimiter" | "headerRow" | "shape">;

/**
 * Detects type, encoding, delimiter, sheet, header row and shape of a file.
 * @throws AppError validation_failed, in words, for an empty or unreadable file and for one of another type.
 */
export async function detect(path: string, preset: Preset): Promise<Detected> {
  const head = await refuseForeign(path);
  const base: Base = { gzip: isGzip(head), encoding: "utf-8", delimiter: ",", headerRow: 1, shape: "wide" };
  if (isWorkbookHead(head)) return detectWorkbook(path, preset, base);
  if (base.gzip) await refusePacked(path);
  const { encoding, isGuessed } = await detectEncoding(path, base.gzip);
  const text = await textHead(path, base.gzip, encoding);
  refuseForeignText(text);
  const encodingGuess = isGuessed ? guessText(encoding, text) : null;
  if (/^\s*[[{]/.test(text))
    return { format: { ...base, kind: "json", encoding, shape: "rest" }, sheets: [], headerDoubts: [], encodingGuess };
  const { delimiter, quote, headerRow, records } = detectDelimiter(text);
  const shape = detectShape(requireHeader(records[headerRow - 1] ?? []), preset);
  const written = quote === "'" ? { quote } : {};
  return {
    format: { ...base, kind: "text", encoding, delimiter, ...written, headerRow, shape },
    sheets: [],
    headerDoubts: shape === "wide" ? headerDoubts(records, headerRow, preset) : [],
    encodingGuess,
  };
}
