import { MAX_IMPORT_BYTES, MAX_WORKBOOK_BYTES } from "@/server/custom-fields/import/schema";
import { AppError } from "@/server/errors";
import { type Archive, openArchive } from "./archive";
import { badFile } from "./bad-file";
import type { RawRecord } from "./read-delimited";
import { bookEvents, relationEvents, rowEvents, stringEvents, styleEvents } from "./sheet";
import { readXml } from "./xml";

/** Bytes of a part that is held as a whole, such as the list of styles: thousands of them fit. */
const MAX_PART_BYTES = 32 * 1024 * 1024;
/** Shared strings are held while the sheet is read. */
const MAX_STRINGS = 10_000_000;

const WORKBOOK = "xl/workbook.xml";

/** The name of the first sheet's member, by way of the workbook's list and its relationships, and the date system. */
async function firstSheet(archive: Archive): Promise<{ sheet: string; from1904: boolean }> {
  if (!archive.has(WORKBOOK)) throw badFile("is not an Excel workbook (.xlsx)");
  let from1904 = false;
  const relations: (string | undefined)[] = [];
  for await (const item of readXml(archive.read(WORKBOOK, MAX_PART_BYTES), bookEvents)) {
    if (item.kind === "sheet") relations.push(item.relation);
    else from1904 = true;
  }
  const targets = new Map<string, string>();
  for await (const { id, target } of readXml(
    archive.read("xl/_rels/workbook.xml.rels", MAX_PART_BYTES),
    relationEvents,
  ))
    targets.set(id, target);
  const target = targets.get(relations[0] ?? "") ?? "worksheets/sheet1.xml";
  const sheet = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
  if (!archive.has(sheet)) throw badFile("is a workbook without a sheet");
  return { sheet, from1904 };
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

async function dateStyles(archive: Archive): Promise<boolean[]> {
  const styles: boolean[] = [];
  for await (const isDate of readXml(archive.read("xl/styles.xml", MAX_PART_BYTES), styleEvents)) styles.push(isDate);
  return styles;
}

/**
 * The records of a workbook's first sheet, one row at a time; the strings that its cells share are held in memory. Numbers are
 * as they are written in the file, dates are ISO. A row may be shorter than the header: blank cells are not stored.
 * @throws AppError payload_too_large for one that unpacks to more than is taken, validation_failed for no workbook.
 */
export async function* readWorkbook(path: string): AsyncGenerator<RawRecord> {
  const archive = await openArchive(path);
  try {
    const { sheet, from1904 } = await firstSheet(archive);
    const context = { strings: await sharedStrings(archive), dates: await dateStyles(archive), from1904 };
    let chars = 0;
    for await (const row of readXml(archive.read(sheet), rowEvents(context))) {
      if (row.cells.length === 0) continue;
      chars += row.cells.reduce((sum, cell) => sum + cell.length, 0);
      if (chars > MAX_WORKBOOK_BYTES) throw new AppError("payload_too_large", "The sheet holds over 500 MiB of text.");
      yield row;
    }
  } finally {
    archive.close();
  }
}
