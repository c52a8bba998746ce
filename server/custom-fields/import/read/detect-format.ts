import type { Preset } from "@/server/custom-fields/import/presets/preset";
import { requireHeader } from "./column-list";
import { detectEncoding, headOf, isGzip, isZip, readText, textHead } from "./decode";
import type { FileFormat, SheetInfo } from "./file-schema";
import { headerDoubts } from "./header-doubt";
import type { FileNotes } from "./notes";
import { detectDelimiter, findHeader, type RawRecord, readDelimited } from "./read-delimited";
import { openWorkbook, readWorkbook, type Workbook } from "./read-workbook";
import { refuseForeign, refuseForeignText, refusePacked } from "./signature";
import { detectShape, identifierOf, longColumns } from "./table-shape";

/** What was found out about a file; headerDoubts: signs that its header is a row of values. */
export type Detected = { format: FileFormat; sheets: readonly SheetInfo[]; headerDoubts: string[] };

const HEAD_RECORDS = 60;
/** Sheets that are looked into for a header that the product is known for. */
const MAX_LOOKED_INTO = 20;

/** The records of a text file or workbook as written, header included. */
export function rawRecords(path: string, format: FileFormat, notes?: FileNotes): AsyncGenerator<RawRecord> {
  if (format.kind === "workbook") return readWorkbook(path, format.sheet ?? null, notes);
  return readDelimited(readText(path, format.gzip, format.encoding), format.delimiter);
}

async function firstRecords(records: AsyncGenerator<RawRecord>): Promise<string[][]> {
  const found: string[][] = [];
  for await (const { cells } of records) if (found.push(cells.map((cell) => cell ?? "")) >= HEAD_RECORDS) break;
  return found;
}

type Head = { name: string | null; records: string[][]; headerRow: number; titles: string[] };

async function headOfSheet(workbook: Workbook, name: string): Promise<Head> {
  const records = await firstRecords(workbook.rows(name));
  const headerRow = findHeader(records);
  return { name, records, headerRow, titles: requireHeader(records[headerRow - 1] ?? []) };
}

const isKnown = ({ titles }: Head, preset: Preset): boolean =>
  titles.some((title) => identifierOf(title, preset) !== undefined) || longColumns(titles, preset) !== null;

/** The first visible sheet with a header that the product is known for, else the first that is visible and not blank. */
async function chooseSheet(workbook: Workbook, preset: Preset): Promise<Head> {
  const visible = workbook.sheets.filter(({ isHidden }) => !isHidden);
  const heads: Head[] = [];
  for (const { name } of (visible.length > 0 ? visible : workbook.sheets).slice(0, MAX_LOOKED_INTO)) {
    const head = await headOfSheet(workbook, name);
    if (isKnown(head, preset)) return head;
    heads.push(head);
  }
  return (
    heads.find(({ records }) => records.length > 0) ?? heads[0] ?? { name: null, records: [], headerRow: 1, titles: [] }
  );
}

async function detectWorkbook(path: string, preset: Preset, base: Base): Promise<Detected> {
  const workbook = await openWorkbook(path);
  try {
    const { name, records, headerRow, titles } = await chooseSheet(workbook, preset);
    const format = { ...base, kind: "workbook", headerRow, shape: detectShape(titles, preset), sheet: name } as const;
    return { format, sheets: workbook.sheets, headerDoubts: headerDoubts(records, headerRow, preset) };
  } finally {
    workbook.close();
  }
}

type Base = Pick<FileFormat, "gzip" | "encoding" | "delimiter" | "headerRow" | "shape">;

/**
 * Detects how a file is to be read: what it is, its encoding, delimiter, sheet, header row and shape.
 * @throws AppError validation_failed, in words, for an empty or unreadable file and for one that is something else.
 */
export async function detect(path: string, preset: Preset): Promise<Detected> {
  await refuseForeign(path);
  const head = await headOf(path, 16);
  const base: Base = { gzip: isGzip(head), encoding: "utf-8", delimiter: ",", headerRow: 1, shape: "wide" };
  if (isZip(head)) return detectWorkbook(path, preset, base);
  if (base.gzip) await refusePacked(path);
  const encoding = await detectEncoding(path, base.gzip);
  const text = await textHead(path, base.gzip, encoding);
  refuseForeignText(text);
  if (/^\s*[[{]/.test(text))
    return { format: { ...base, kind: "json", encoding, shape: "rest" }, sheets: [], headerDoubts: [] };
  const { delimiter, headerRow, records } = detectDelimiter(text);
  const shape = detectShape(requireHeader(records[headerRow - 1] ?? []), preset);
  return {
    format: { ...base, kind: "text", encoding, delimiter, headerRow, shape },
    sheets: [],
    headerDoubts: shape === "wide" ? headerDoubts(records, headerRow, preset) : [],
  };
}

/** @throws AppError validation_failed for an empty or unreadable file. */
export const detectFormat = async (path: string, preset: Preset): Promise<FileFormat> =>
  (await detect(path, preset)).format;
