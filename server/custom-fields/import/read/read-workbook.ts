import { badFile } from "./bad-file";
import type { RawRecord } from "./read-delimited";
import { attribute, dateStyles, itemText, rowCells, type SheetContext } from "./sheet-xml";
import { readDirectory, readMember, type ZipEntry } from "./zip";

type Archive = { path: string; entries: Map<string, ZipEntry> };

const MAX_ELEMENT_CHARS = 4 * 1024 * 1024;
const MAX_TAG_NAME = 64;

/** Elements of one name as they stream by, each whole. */
async function* elements(
  pieces: AsyncIterable<string>,
  name: string,
): AsyncGenerator<{ attributes: string; inner: string }> {
  const element = new RegExp(`<(?:\\w+:)?${name}(\\s[^>]*?)?(?:/>|>([\\s\\S]*?)</(?:\\w+:)?${name}>)`, "g");
  const begin = new RegExp(`<(?:\\w+:)?${name}[\\s/>]`, "g");
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    let end = 0;
    element.lastIndex = 0;
    for (let match = element.exec(text); match; match = element.exec(text)) {
      end = element.lastIndex;
      yield { attributes: match[1] ?? "", inner: match[2] ?? "" };
      element.lastIndex = end;
    }
    // What cannot be the beginning of an element is let go, so that nothing else in the file piles up.
    begin.lastIndex = end;
    const open = begin.exec(text)?.index ?? Math.max(end, text.length - MAX_TAG_NAME);
    text = text.slice(open);
    if (text.length > MAX_ELEMENT_CHARS) throw badFile("holds a row of over four million characters");
  }
}

async function textOf({ path, entries }: Archive, name: string): Promise<string> {
  const entry = entries.get(name);
  if (!entry) return "";
  let text = "";
  for await (const piece of readMember(path, entry)) text += piece;
  return text;
}

/** The member that holds the first sheet, by way of the workbook's list and its relationships. */
function firstSheet(workbook: string, relations: string, { entries }: Archive): ZipEntry {
  const id = attribute(/<(?:\w+:)?sheet\s([^>]*)>/.exec(workbook)?.[1] ?? "", "id");
  const relation = [...relations.matchAll(/<(?:\w+:)?Relationship\s([^>]*)>/g)].find(
    ([, a]) => attribute(a as string, "Id") === id,
  );
  const target = attribute(relation?.[1] ?? "", "Target") ?? "worksheets/sheet1.xml";
  const entry = entries.get(target.startsWith("/") ? target.slice(1) : `xl/${target}`);
  if (!entry) throw badFile("is a workbook without a sheet");
  return entry;
}

async function sharedStrings({ path, entries }: Archive): Promise<string[]> {
  const entry = entries.get("xl/sharedStrings.xml");
  const strings: string[] = [];
  if (entry) for await (const { inner } of elements(readMember(path, entry), "si")) strings.push(itemText(inner));
  return strings;
}

/**
 * The records of a workbook's first sheet, a row at a time; in memory are the strings that its cells share. Numbers are
 * as they are written in the file, dates are ISO. A row may be shorter than the header: blank cells are not stored.
 * @throws AppError payload_too_large for one that unpacks to more than is taken, validation_failed for no workbook.
 */
export async function* readWorkbook(path: string): AsyncGenerator<RawRecord> {
  const archive = { path, entries: await readDirectory(path) };
  const workbook = await textOf(archive, "xl/workbook.xml");
  if (!workbook) throw badFile("is not an Excel workbook (.xlsx)");
  const sheet = firstSheet(workbook, await textOf(archive, "xl/_rels/workbook.xml.rels"), archive);
  const context: SheetContext = {
    strings: await sharedStrings(archive),
    dates: dateStyles(await textOf(archive, "xl/styles.xml")),
    from1904: /date1904="(1|true)"/.test(workbook),
  };
  let line = 0;
  for await (const { attributes, inner } of elements(readMember(path, sheet), "row")) {
    line = Number(attribute(attributes, "r") ?? line + 1);
    const cells = rowCells(inner, context);
    if (cells.some((cell) => cell !== "")) yield { line, cells };
  }
}
