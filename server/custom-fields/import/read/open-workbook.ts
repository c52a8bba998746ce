import { readFile } from "node:fs/promises";
import { crc32, inflateRawSync } from "node:zlib";
import { CFB, type ParsingOptions, parse_zip, read, set_cptable, type WorkBook, type WorkSheet } from "@e965/xlsx";
import * as codepages from "@e965/xlsx/dist/cpexcel.full.mjs";
import iconv from "iconv-lite";
import { codeOf, messageOf } from "@/db/thrown";
import { MAX_WORKBOOK_BYTES, MAX_WORKBOOK_CELLS } from "@/server/custom-fields/import/plan-schema";
import { AppError } from "@/server/ground/errors";
import { badFile } from "./bad-file";
import { countCells, type Hidden, hiddenParts } from "./ods";

declare module "@e965/xlsx" {
  /** Reads a workbook of an archive's members; missing in the library's types. */
  function parse_zip(archive: object, options: ParsingOptions): WorkBook;
}

const SAVE_AGAIN = "open it in Excel and save it again, or save it as CSV";
const tooLarge = () =>
  new AppError("payload_too_large", "The workbook unpacks to over 256 MiB. Open it in Excel and save it as CSV.");
const tooMany = (most: number, what: string) =>
  new AppError(
    "payload_too_large",
    `The workbook has over ${most.toLocaleString("en")} ${what}. Open it in Excel and save it as CSV.`,
  );

/** Types of unreadable files by the names in their unpacked directory. */
const OTHERS: readonly (readonly [string, BufferEncoding, string])[] = [
  ["EncryptedPackage", "utf16le", "protected with a password: open it in Excel, remove the password and save it again"],
  ["word/document.xml", "latin1", "a Word document: save the table as CSV"],
  ["WordDocument", "utf16le", "an old Word document: save the table as CSV"],
];

const ZIP_START = Buffer.from("PK");
const DIRECTORY_END = Buffer.from("PK\x05\x06", "latin1");
const DIRECTORY_MARK = 0x02014b50;
const ENCRYPTED = 0x2041;
const [STORED, DEFLATED] = [0, 8];

/**
 * Unpacked member of an archive with a directory entry, whatever sizes that claims.
 * @throws Error if it is damaged, or has over `limit` bytes
 */
function memberAt(file: Buffer, entry: number, limit: number): Buffer {
  const method = file.readUInt16LE(entry + 10);
  if (file.readUInt16LE(entry + 8) & ENCRYPTED || (method !== STORED && method !== DEFLATED))
    throw new Error("Unsupported ZIP");
  const size = file.readUInt32LE(entry + 20);
  const at = file.readUInt32LE(entry + 42);
  const start = at + 30 + file.readUInt16LE(at + 26) + file.readUInt16LE(at + 28);
  // Some programs pack empty parts to zero bytes, which is not a deflate stream.
  if (method === STORED || size === 0) return file.subarray(start, start + size);
  const content = inflateRawSync(file.subarray(start), { maxOutputLength: Math.max(1, limit) });
  if (file.readUInt32LE(entry + 16) !== crc32(content)) throw new Error("the checksum is another");
  return content;
}

/** Unpacked members of an archive by name. @throws AppError validation_failed for duplicate names, Error if damaged. */
function unpack(file: Buffer): Map<string, Buffer> {
  const members = new Map<string, Buffer>();
  const end = file.lastIndexOf(DIRECTORY_END);
  if (end < 0 || end + 22 > file.length) return members;
  let left = MAX_WORKBOOK_BYTES;
  for (let at = file.readUInt32LE(end + 16); at + 46 <= end && file.readUInt32LE(at) === DIRECTORY_MARK; ) {
    const name = file.toString("latin1", at + 46, at + 46 + file.readUInt16LE(at + 28));
    // Programs differ in which duplicate they read.
    if (members.has(name))
      throw badFile("is a workbook with two parts of one name: open it in Excel and save it again");
    const content = memberAt(file, at, left);
    left -= content.length;
    members.set(name, content);
    at += 46 + file.readUInt16LE(at + 28) + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  }
  return members;
}

/** Marks encrypted parts in an OpenDocument manifest. */
const ENCRYPTED_PARTS = "<manifest:encryption-data";

/** Hidden parts of an OpenDocument file. @throws AppError for one with a password or too many cells */
function openDocumentParts(members: ReadonlyMap<string, Buffer>): Hidden[] {
  if (members.get("META-INF/manifest.xml")?.includes(ENCRYPTED_PARTS))
    throw badFile("is protected with a password: open it in LibreOffice, remove the password and save it again");
  const content = members.get("content.xml")?.toString("latin1") ?? "";
  if (countCells(content) > MAX_WORKBOOK_CELLS) throw tooMany(MAX_WORKBOOK_CELLS, "cells");
  return hiddenParts(content);
}

/** Elements on which SheetJS spends seconds even if empty, and how many of them are read. */
const MOST: readonly (readonly [string, number, string])[] = [
  ["<sheet ", 1_000, "sheets"],
  ["<si>", 750_000, "different texts"],
];

function refuseTooMany(part: Buffer): void {
  for (const [element, most, what] of MOST) {
    let count = 0;
    for (let at = part.indexOf(element); at >= 0; at = part.indexOf(element, at + element.length))
      if (++count > most) throw tooMany(most, what);
  }
}

/** A non-ASCII letter, given by number, as UTF-8. */
function letterOf(entity: string, number: string): string {
  const code = Number(number.replace(/^x/i, "0x"));
  return code > 0x7f && code <= 0x10ffff ? Buffer.from(String.fromCodePoint(code)).toString("latin1") : entity;
}

/** Valid XML that SheetJS misreads, and its replacement. */
const RESPELLED: readonly (readonly [RegExp, string | ((...groups: string[]) => string)])[] = [
  [/(<c\b[^<>]* r=")([a-z]{1,3}\d)/g, (_, cell, place) => `${cell}${place?.toUpperCase()}`],
  [/&#(x[\da-f]{2,6}|\d{3,7});/gi, letterOf],
  // A duration in a strict file, as the number of days used elsewhere.
  [
    / t="d"([^<>]*>\s*<v>)PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?<\/v>/g,
    (_, cell, ...[h = "0", m = "0", s = "0"]) =>
      `${cell}${(Number(h) * 3600 + Number(m) * 60 + Number(s)) / 86_400}</v>`,
  ],
  // An empty text counts like any other.
  [/<((?:\w+:)?si)\s*\/>/g, "<$1></$1>"],
  // A text may have runs after its first part.
  [/(<((?:\w+:)?)(?:si|is)>\s*)(<\2t\b[^<>]*>[^<]*<\/\2t>)(?=\s*<\2r[\s>])/g, "$1<$2r>$3</$2r>"],
  // A formula without a result has no value, whatever its type.
  [/(<c\b[^<>]*) t="str"([^<>]*>\s*<f\b[^<>]*(?:\/>|>[^<]*<\/f>)\s*<\/c>)/g, "$1$2"],
  // A cell without a value is blank, whatever its type.
  [/(<c\b[^<>]*) t="[bd]"([^<>]*\/>)/g, "$1$2"],
  // Macro sheets have no part; next to one, SheetJS mixes up the cells of all sheets.
  [/<(?:\w+:)?sheet\b(?![^<>]*\b(?:id|strRelID)="[^"])[^<>]*\/>/g, ""],
  // Date and time formats of Chinese, Japanese, Korean and Thai programs, which files do not spell out.
  [/(<xf\b[^<>]* numFmtId=")(?:2[7-9]|3[016]|5[0-478])"/g, '$114"'],
  [/(<xf\b[^<>]* numFmtId=")(?:3[2-5]|5[56])"/g, '$122"'],
  // Format 0 may be redefined.
  [/<numFmt\b[^<>]* numFmtId="0"[\s\S]*/, (styles) => styles?.replaceAll('numFmtId="0"', 'numFmtId="163"') ?? ""],
];

/** An XML part for SheetJS: UTF-16, which the standard allows, converted to UTF-8, and rewritten. */
function readable(part: Buffer): Buffer {
  const start = part.toString("latin1", 0, 4).replace(/^(\xff\xfe|\xfe\xff|\xef\xbb\xbf)/, "");
  if (!/^\0?</.test(start)) return part;
  const encoding = start.startsWith("<\0") ? "utf-16le" : start.startsWith("\0<") ? "utf-16be" : null;
  const text = (encoding ? Buffer.from(iconv.decode(part, encoding)) : part).toString("latin1");
  return Buffer.from(
    RESPELLED.reduce((xml, [pattern, spelling]) => xml.replace(pattern, spelling as string), text),
    "latin1",
  );
}

// For national encodings of Excel 95 and earlier.
set_cptable(codepages);

/** An error of SheetJS means that the file is not a valid workbook. */
function unreadable(error: unknown, file: Buffer): AppError {
  if (error instanceof AppError) return error;
  if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") return tooLarge();
  const text = messageOf(error);
  const other = OTHERS.find(
    ([name, encoding]) =>
      file.includes(Buffer.from(name, encoding)) || (name === "EncryptedPackage" && /password|^Encryption/.test(text)),
  );
  if (other) return badFile(`is ${other[2]}`);
  return file.includes(DIRECTORY_END) && /Unsupported ZIP|not find workbook/i.test(text)
    ? badFile("is an archive without a workbook: unpack it and choose the file inside")
    : badFile(`is a damaged workbook: ${SAVE_AGAIN}`);
}

/** @param rows limit per sheet. @param sheet the only one to read. */
type Part = { rows?: number; sheet?: string };

function withHidden(book: WorkBook, hidden: readonly Hidden[]): WorkBook {
  if (hidden.length === 0) return book;
  hidden.forEach(
    ({ rows, columns }, i) =>
      void Object.assign(book.Sheets[book.SheetNames[i] ?? ""] ?? {}, { "!rows": rows, "!cols": columns }),
  );
  const Sheets = hidden.map(({ isHidden }) => ({ Hidden: isHidden ? 1 : 0 }) as const);
  return { ...book, Workbook: { ...book.Workbook, Sheets } };
}

/** Restores the cells that SheetJS sets aside when a single sheet has the wrong position. */
function withLostSheet(book: WorkBook & { Preamble?: WorkSheet }): WorkBook {
  const [name = "", ...others] = book.SheetNames;
  if (!book.Preamble || others.length > 0 || book.Sheets[name]) return book;
  return { ...book, Sheets: { [name]: book.Preamble } };
}

/** A workbook of unpacked members, with an empty style sheet if that is missing, as all other programs tolerate. */
function parseMembers(members: ReadonlyMap<string, Buffer>, options: ParsingOptions): WorkBook {
  const archive = CFB.utils.cfb_new();
  const add = (name: string, content: Buffer) => CFB.utils.cfb_add(archive, name, content, { unsafe: true });
  for (const [name, content] of members) {
    refuseTooMany(content);
    add(name, readable(content));
  }
  try {
    return parse_zip(archive, options);
  } catch (error) {
    const [, missing] = /Cannot find file (\S*styles\.xml) in zip/.exec(messageOf(error)) ?? [];
    if (missing === undefined) throw error;
    add(missing, Buffer.from("<styles/>"));
    return parse_zip(archive, options);
  }
}

function parse(file: Buffer, { rows, sheet }: Part): WorkBook {
  const options: ParsingOptions = {
    type: "buffer",
    dense: true,
    cellHTML: false,
    cellText: false,
    cellNF: true,
    // Distinguishes formulas without a result from blank cells, and hidden rows and columns from others.
    sheetStubs: true,
    cellStyles: true,
    ...(rows !== undefined && { sheetRows: rows }),
    ...(sheet !== undefined && { sheets: sheet }),
  };
  if (!file.subarray(0, 2).equals(ZIP_START)) return withLostSheet(read(file, options));
  const members = unpack(file);
  const hidden = openDocumentParts(members);
  return withHidden(parseMembers(members, options), hidden);
}

/**
 * Opens a workbook with SheetJS and adds what it omits.
 * @throws AppError payload_too_large for one that unpacks beyond the limit, validation_failed for no workbook.
 */
export async function openBook(path: string, part: Part): Promise<WorkBook> {
  const file = await readFile(path);
  try {
    return parse(file, part);
  } catch (error) {
    throw unreadable(error, file);
  }
}
