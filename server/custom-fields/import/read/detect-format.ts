import type { Preset } from "@/server/custom-fields/import/presets/preset";
import type { FileFormat } from "@/server/custom-fields/import/schema";
import { badFile } from "./bad-file";
import { detectEncoding, headOf, isGzip, isZip, readText, textHead } from "./decode";
import { detectDelimiter, findHeader, type RawRecord, readDelimited } from "./read-delimited";
import { readWorkbook } from "./read-workbook";
import { detectShape } from "./table-shape";

/** The records of a text file or workbook as written, header included. */
export function rawRecords(path: string, format: FileFormat): AsyncGenerator<RawRecord> {
  if (format.kind === "workbook") return readWorkbook(path);
  return readDelimited(readText(path, format.gzip, format.encoding), format.delimiter);
}

async function firstRecords(records: AsyncGenerator<RawRecord>, count: number): Promise<RawRecord[]> {
  const found: RawRecord[] = [];
  for await (const record of records) if (found.push(record) >= count) break;
  return found;
}

/**
 * Detects how a file is to be read: what it is, its encoding, delimiter, header row and shape.
 * @throws AppError validation_failed for an empty or unreadable file.
 */
export async function detectFormat(path: string, preset: Preset): Promise<FileFormat> {
  const head = await headOf(path, 16);
  if (head.length === 0) throw badFile("is empty");
  const base = { gzip: isGzip(head), encoding: "utf-8", delimiter: ",", headerRow: 1, shape: "wide" } as const;
  if (isZip(head)) {
    const sheet = await firstRecords(readWorkbook(path), 60);
    const headerRow = findHeader(sheet.map((r) => r.cells));
    return { ...base, kind: "workbook", headerRow, shape: detectShape(sheet[headerRow - 1]?.cells ?? [], preset) };
  }
  const encoding = await detectEncoding(path, base.gzip);
  const text = await textHead(path, base.gzip, encoding);
  if (/^\s*[[{]/.test(text)) return { ...base, kind: "json", encoding, shape: "rest" };
  const { delimiter, headerRow } = detectDelimiter(text);
  const format: FileFormat = { ...base, kind: "text", encoding, delimiter, headerRow };
  const first = await firstRecords(rawRecords(path, format), headerRow);
  return { ...format, shape: detectShape(first.at(-1)?.cells ?? [], preset) };
}
