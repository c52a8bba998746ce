import { badFile } from "./bad-file";
import { headOf, isWorkbookHead, packedHead } from "./decode";

/** Type of a file by its first bytes, completing "The file is …", with advice. */
type Signature = { bytes: readonly number[]; at?: number; what: string };

const SAVE = "open it in Excel and save it as .xlsx or CSV";
const UNPACK = "unpack it and choose the file inside";
const ascii = (text: string): number[] => [...Buffer.from(text, "latin1")];

/** Matches any byte. */
const ANY = -1;

/** Registered magic numbers (IANA media types, format specifications). */
const SIGNATURES: readonly Signature[] = [
  { bytes: [0x89, 0x50, 0x4e, 0x47], what: "a picture (PNG), not a table: choose the export itself" },
  { bytes: [0xff, 0xd8, 0xff], what: "a picture (JPEG), not a table: choose the export itself" },
  { bytes: ascii("GIF8"), what: "a picture (GIF), not a table: choose the export itself" },
  { bytes: ascii("II*\0"), what: "a picture (TIFF), not a table: choose the export itself" },
  {
    bytes: [...ascii("RIFF"), ANY, ANY, ANY, ANY, ...ascii("WEBP")],
    what: "a picture (WebP), not a table: choose the export itself",
  },
  { bytes: ascii("%PDF"), what: "a PDF document: export the report as CSV or Excel instead" },
  { bytes: ascii("{\\rtf"), what: "a text document (RTF): save the table as CSV" },
  { bytes: ascii("7z\xbc\xaf\x27\x1c"), what: `a 7-Zip archive: ${UNPACK}` },
  { bytes: ascii("Rar!"), what: `a RAR archive: ${UNPACK}` },
  { bytes: [...ascii("BZh"), ANY, 0x31, 0x41, 0x59, 0x26], what: `compressed with bzip2: ${UNPACK}` },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a], what: `compressed with xz: ${UNPACK}` },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], what: `compressed with Zstandard: ${UNPACK}` },
  { bytes: ascii("ustar"), at: 257, what: `a tar archive: ${UNPACK}` },
  { bytes: ascii("SQLite format 3"), what: "a SQLite database: export the table as CSV" },
  { bytes: [...ascii("PAR1"), 0x15], what: "a Parquet file: export the table as CSV" },
  { bytes: [0, 1, 0, 0, ...ascii("Standard")], what: "an Access database: export the table as CSV" },
  { bytes: [0x7f, 0x45, 0x4c, 0x46], what: "a program, not a table" },
];

const isAt = (head: Buffer, bytes: readonly number[], at = 0): boolean =>
  bytes.every((byte, i) => byte === ANY || head[at + i] === byte);

const HEAD_BYTES = 512;

function refuseKnown(head: Buffer, verb: string): Buffer {
  if (head.length === 0) throw badFile("is empty");
  const known = SIGNATURES.find(({ bytes, at }) => isAt(head, bytes, at));
  if (known) throw badFile(`${verb} ${known.what}`);
  return head;
}

/**
 * @param path any file. @returns its first bytes.
 * @throws AppError validation_failed, in words, if these are not of a text, JSON or workbook.
 */
export const refuseForeign = async (path: string): Promise<Buffer> => refuseKnown(await headOf(path, HEAD_BYTES), "is");

/** @throws AppError validation_failed for a gzip file of anything but text. */
export async function refusePacked(path: string): Promise<void> {
  const head = refuseKnown(await packedHead(path, HEAD_BYTES), "holds, gzipped, what is");
  if (isWorkbookHead(head) || isAt(head, [0x1f, 0x8b]))
    throw badFile("holds, gzipped, a workbook or an archive: unpack it and choose that");
}

/** Texts contain tab, line feed, form feed and carriage return. */
const isControl = (code: number): boolean => code < 0x09 || (code > 0x0d && code < 0x20);

function countControls(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (isControl(text.charCodeAt(i))) count++;
  return count;
}

/** Share of control characters that no table exceeds. Even small tables contain a few: NUL, ^Z, ESC. */
const MAX_CONTROL_SHARE = 0.02;
const FEW_CONTROLS = 4;

/** @throws AppError validation_failed for a web page, a document or no text at all. */
export function refuseForeignText(text: string): void {
  const start = text.trimStart().slice(0, 1000).toLowerCase();
  if (start === "") throw badFile("holds nothing but blank lines");
  if (/^<(!doctype html|html|head|table|meta|body)\b/.test(start))
    throw badFile(`is a web page (HTML), which some products name .xls: ${SAVE}`);
  if (/^<\?xml/.test(start))
    throw badFile(
      start.includes("office:spreadsheet")
        ? `is an Excel 2003 XML file: ${SAVE}`
        : "is XML, which is not read: export CSV, Excel or JSON",
    );
  if (/^table\r?\n0,1\r?\n/.test(start)) throw badFile(`is in the Data Interchange Format (DIF): ${SAVE}`);
  if (/^id;p[^\r\n,]*\r?\n[bcfpo];/.test(start)) throw badFile(`is a SYLK file: ${SAVE}`);
  if (countControls(text) > Math.max(FEW_CONTROLS, text.length * MAX_CONTROL_SHARE))
    throw badFile("is no text in an encoding that is read: if it is a table, save it as UTF-8");
  if (/^(-?\d[\d.eE+-]*|true|false|null|"[^"\n]*")\s*$/.test(text.trim()) && !/[\r\n]/.test(text.trim()))
    throw badFile("holds a single value, not a table");
}
