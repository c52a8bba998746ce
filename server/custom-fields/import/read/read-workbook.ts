import { MAX_IMPORT_BYTES, MAX_WORKBOOK_BYTES } from "@/server/custom-fields/import/plan-schema";
import { AppError } from "@/server/ground/errors";
import { type Archive, openArchive } from "./archive";
import { badFile } from "./bad-file";
import type { SheetInfo } from "./file-schema";
import { createNotes, type FileNotes } from "./notes";
import type { CellStyle } from "./number-format";
import type { RawRecord } from "./read-delimited";
import { bookEvents, relationEvents, rowEvents, stringEvents, styleEvents } from "./sheet";
import { readXml } from "./xml";

/** Bytes of a part that is held as a whole, such as the list of styles: thousands of them fit. */
const MAX_PART_BYTES = 32 * 1024 * 1024;
/** Shared strings are held while the sheet is read. */
const MAX_STRINGS = 10_000_000;

/** Sheets to choose from; more are not usable. */
const MAX_SHEETS = 1_000;

const WORKBOOK = "xl/workbook.xml";

type Sheet = SheetInfo & { member: string };

/** An open workbook: its sheets of cells, and the rows of any of them. */
export type Workbook = {
  sheets: readonly SheetInfo[];
  /** The rows of a sheet (of the first one where none is named), one at a time. Notes are complete at the end. */
  rows: (sheet: string | null, notes?: FileNotes) => AsyncGenerator<RawRecord>;
  /** Notes the merged ranges of a sheet, which follow its rows. */
  noteMerged: (sheet: string | null, notes: FileNotes) => Promise<void>;
  close: () => void;
};

/** The sheets of cells by way of the workbook's list and its relationships, and the date system. */
async function listSheets(archive: Archive): Promise<{ sheets: Sheet[]; from1904: boolean }> {
  if (!archive.has(WORKBOOK)) throw badFile("is not an Excel workbook (.xlsx)");
  let from1904 = false;
  const listed: (SheetInfo & { relation: string })[] = [];
  for await (const item of readXml(archive.read(WORKBOOK, MAX_PART_BYTES), bookEvents)) {
    if (item.kind === "sheet") listed.push(item);
    else from1904 = true;
    if (listed.length > MAX_SHEETS) throw badFile(`is a workbook of over ${MAX_SHEETS.toLocaleString("en")} sheets`);
  }
  const targets = new Map<string, string>();
  const relations = readXml(archive.read("xl/_rels/workbook.xml.rels", MAX_PART_BYTES), relationEvents);
  for await (const { id, target } of relations) targets.set(id, target);
  const sheets = listed.flatMap(({ relation, ...sheet }, i) => {
    const target = targets.get(relation) ?? (i === 0 ? "worksheets/sheet1.xml" : "");
    const member = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
    return archive.has(member) && !/chartsheets|dialogsheets/.test(member) ? [{ ...sheet, member }] : [];
  });
  if (sheets.length === 0) throw badFile("is a workbook without a sheet");
  return { sheets, from1904 };
}

async function sharedStrings(archive: Archive): Promise<string[]> {
  const strings: string[] = [];
  let chars = 0;
  for await (const text of readXml(archive.read("xl/sharedStrings.xml"), stringEvents)) {
    chars += text.length;
    if (strings.push(text) > MAX_STRINGS || chars > MAX_IMPORT_BYTES)
      throw new AppError("payload_too_large", "The workbook holds over 100 MiB of text; save it as CSV.");
  }
  return strings;
}

async function cellStyles(archive: Archive): Promise<CellStyle[]> {
  const styles: CellStyle[] = [];
  for await (const style of readXml(archive.read("xl/styles.xml", MAX_PART_BYTES), styleEvents)) styles.push(style);
  return styles;
}

const MERGED = /<(?:\w+:)?mergeCell\s+ref="([A-Z]+\d+:[A-Z]+\d+)"/g;
const LONGEST_TAG = 200;

/** Text is searched, not parsed: the ranges follow millions of cells that a preview does not read. */
async function noteMerged(archive: Archive, member: string, notes: FileNotes): Promise<void> {
  let rest = "";
  for await (const piece of archive.read(member)) {
    const text = rest + piece;
    let end = 0;
    for (const match of text.matchAll(MERGED)) {
      notes.add("merged", match[1] ?? "");
      end = match.index + match[0].length;
    }
    rest = text.slice(Math.max(end, text.length - LONGEST_TAG));
  }
}

/**
 * Opens a workbook; the strings that its cells share are held in memory until it is closed. Numbers are as they are
 * written in the file, or in the digits that their format shows (000007); dates are ISO. A row may be shorter than the
 * header: blank cells are not stored.
 * @throws AppError payload_too_large for one that unpacks to more than is taken, validation_failed for no workbook.
 */
export async function openWorkbook(path: string): Promise<Workbook> {
  const archive = await openArchive(path);
  try {
    const { sheets, from1904 } = await listSheets(archive);
    const [first] = sheets;
    const memberOf = (name: string | null) => (sheets.find((sheet) => sheet.name === name) ?? first)?.member ?? "";
    let shared: { strings: string[]; styles: CellStyle[] } | null = null;
    const rows = async function* (sheet: string | null, notes = createNotes()): AsyncGenerator<RawRecord> {
      shared ??= { strings: await sharedStrings(archive), styles: await cellStyles(archive) };
      let chars = 0;
      for await (const row of readXml(archive.read(memberOf(sheet)), rowEvents({ ...shared, from1904, notes }))) {
        if (row.cells.every((cell) => !cell)) continue;
        chars += row.cells.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
        if (chars > MAX_WORKBOOK_BYTES)
          throw new AppError("payload_too_large", "The sheet holds over 500 MiB of text.");
        yield row;
      }
    };
    return {
      sheets: sheets.map(({ name, isHidden }) => ({ name, isHidden })),
      rows,
      noteMerged: (sheet, notes) => noteMerged(archive, memberOf(sheet), notes),
      close: archive.close,
    };
  } catch (error) {
    archive.close();
    throw error;
  }
}

/** The rows of one sheet of a workbook. */
export async function* readWorkbook(path: string, sheet: string | null, notes?: FileNotes): AsyncGenerator<RawRecord> {
  const workbook = await openWorkbook(path);
  try {
    yield* workbook.rows(sheet, notes);
  } finally {
    workbook.close();
  }
}
