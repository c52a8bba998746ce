import { deflateRawSync, gzipSync } from "node:zlib";
import { toZip, workbook } from "./files";

/**
 * A file designed to cost its reader far more than its sender, at a scale of 1 to 10; end: result of reading it at that
 * of 10, by default that it is blank.
 */
export type SlowFile = { name: string; end?: RegExp; build: (scale: number) => Buffer };

const KIB = 1024;
const MIB = 1024 * 1024;
const DIRECTORY_MARK = "PK\x01\x02";
/** Offset of the unpacked size in a directory record, and in a member's header. */
const SIZE_IN_DIRECTORY = 24;
const UNKNOWN_SIZE = 0xffff_ffff;

/** A deflate stream of "A"s: a repeated block of a megabyte, which takes no memory. */
function endlessLetters(mebibytes: number): Buffer {
  // A full flush makes each block self-contained and not the last.
  const block = deflateRawSync(Buffer.alloc(MIB, "A"), { finishFlush: 3 });
  const last = deflateRawSync(Buffer.alloc(0));
  return Buffer.concat([...Array.from({ length: mebibytes }, () => block), last]);
}

/** A workbook whose sheet is this deflate stream; its sizes are of another. */
const withSheet = (packed: Buffer): Buffer => workbook({}, { "xl/worksheets/sheet1.xml": packed });

/** Claims a missing ZIP64 record with the size of every member. */
function withoutSizes(whole: Buffer): Buffer {
  const result = Buffer.from(whole);
  for (let at = result.indexOf(DIRECTORY_MARK); at >= 0; at = result.indexOf(DIRECTORY_MARK, at + 4))
    result.writeUInt32LE(UNKNOWN_SIZE, at + SIZE_IN_DIRECTORY);
  return result;
}

/** Each directory entry is the first member again: few bytes, unpacked many times. */
function overlapping(members: number): Buffer {
  const whole = toZip(Object.fromEntries(Array.from({ length: members }, (_, i) => [`xl/worksheets/${i}.xml`, "A"])));
  for (let at = whole.indexOf(DIRECTORY_MARK); at >= 0; at = whole.indexOf(DIRECTORY_MARK, at + 4))
    whole.writeUInt32LE(0, at + 42);
  return whole;
}

const sheetsOf = (count: number): Record<string, string> => {
  const names = Array.from({ length: count }, (_, i) => `<sheet name="S${i}" r:id="r${i}"/>`).join("");
  const targets = Array.from(
    { length: count },
    (_, i) => `<Relationship Id="r${i}" Target="worksheets/sheet1.xml"/>`,
  ).join("");
  return {
    "xl/workbook.xml": `<workbook><sheets>${names}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${targets}</Relationships>`,
  };
};

/** Nested archives, the innermost with a workbook. */
function nested(depth: number): Buffer {
  let inner = workbook({});
  for (let i = 0; i < depth; i++) inner = toZip({ "xl/workbook.xml": inner.toString("latin1") });
  return inner;
}

const sheet = (rows: string) => workbook({ "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}` });
const text = (content: string) => Buffer.from(content);
const row = (cells: number, cell: string) => `${Array.from({ length: cells }, () => cell).join(",")}\r\n`;

export const SLOW_FILES: readonly SlowFile[] = [
  { name: "styles that begin again", build: (n) => workbook({ "xl/styles.xml": "<cellXfs ".repeat(60_000 * n) }) },
  { name: "styles without an end", build: (n) => workbook({ "xl/styles.xml": "<cellXfs>".repeat(60_000 * n) }) },
  {
    name: "phonetic hints without an end",
    build: (n) => workbook({ "xl/sharedStrings.xml": `<sst><si>${"<rPh>".repeat(40_000 * n)}` }),
  },
  {
    name: "texts without an end",
    build: (n) => workbook({ "xl/sharedStrings.xml": `<sst><si>${"<t>".repeat(40_000 * n)}` }),
  },
  { name: "cells without an end", build: (n) => sheet(`<row>${"<c>".repeat(40_000 * n)}`) },
  { name: "a tag without an end", build: (n) => sheet(`<row>${"<c ".repeat(40_000 * n)}`) },
  { name: "attributes without an end", build: (n) => sheet(`<row><c ${'a="b" '.repeat(40_000 * n)}`) },
  {
    name: "merged ranges without an end",
    build: (n) => sheet(`</sheetData>${'<mergeCell ref="A1:'.repeat(40_000 * n)}`),
  },
  { name: "a comment without an end", build: (n) => sheet(`<!--${"-".repeat(300 * KIB * n)}`) },
  { name: "rows without a cell", build: (n) => sheet("<row/>".repeat(50_000 * n)) },
  { name: "cells of one row", build: (n) => sheet(`<row>${"<c><v>1</v></c>".repeat(5_000 * n)}</row>`) },
  {
    name: "one long string in every cell",
    build: (n) =>
      workbook({
        "xl/sharedStrings.xml": `<sst><si><t>${"a".repeat(50 * KIB * n)}</t></si></sst>`,
        "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${`<row>${'<c t="s"><v>0</v></c>'.repeat(300)}</row>`.repeat(20 * n)}`,
      }),
  },
  { name: "lists in lists", end: /nested too deeply/, build: (n) => text("[".repeat(300 * KIB * n)) },
  { name: "objects in objects", end: /nested too deeply/, build: (n) => text('{"a":'.repeat(100 * KIB * n)) },
  {
    name: "a string without an end",
    end: /over a million characters/,
    build: (n) => text(`["${"\\u0061".repeat(50 * KIB * n)}`),
  },
  { name: "5,000 columns", end: /more than 300 columns/, build: (n) => text(row(5_000, "column").repeat(2 + n)) },
  { name: "a cell of a megabyte", end: /^1 rows$/, build: (n) => text(`a,b\r\n"${'""'.repeat(100 * KIB * n)}",x\r\n`) },
  {
    name: "quotes that open again and again",
    end: /over a million characters/,
    build: (n) => text(`a,b\r\n${'"a"b"'.repeat(50_000 * n)}`),
  },
  {
    name: "delimiters of every kind",
    end: /^0 rows$/,
    build: (n) => text(`${",;\t|".repeat(60)}\r\n`.repeat(500 * n)),
  },
  { name: "a gzip bomb", end: /over 100 MiB/, build: (n) => gzipSync(Buffer.alloc(15 * KIB * KIB * n, "\n")) },
  {
    name: "gigabytes of one letter in a sheet",
    end: /unpacks to over 256 MiB/,
    build: (n) => withSheet(endlessLetters(1024 * n)),
  },
  {
    name: "a sheet whose size nobody tells",
    end: /unpacks to over 256 MiB/,
    build: (n) => withoutSizes(withSheet(endlessLetters(100 * n))),
  },
  { name: "sheets by the hundred thousand", end: /over 1,000 sheets/, build: (n) => workbook(sheetsOf(100_000 * n)) },
  { name: "members that are one", end: /without a workbook/, build: (n) => overlapping(1_000 * n) },
  { name: "an archive in archives", end: /without a workbook/, build: (n) => nested(5 * n) },
  {
    name: "strings by the hundred thousand",
    end: /over 750,000 different texts/,
    build: (n) => workbook({ "xl/sharedStrings.xml": `<sst>${"<si><t/></si>".repeat(100_000 * n)}</sst>` }),
  },
  {
    name: "entities of entities",
    build: (n) =>
      workbook({
        "xl/sharedStrings.xml": `<!DOCTYPE sst [<!ENTITY a "${"lol".repeat(1_000)}">${Array.from(
          { length: n },
          (_, i) => `<!ENTITY a${i} "${`&a${i || ""};`.repeat(10)}">`,
        ).join("")}]><sst><si><t>&a${n - 1};</t></si></sst>`,
      }),
  },
];
