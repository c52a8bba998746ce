import { gzipSync } from "node:zlib";
import { toZip } from "./files";

/** Files designed to cost their reader far more than their sender, each at a scale of 1 to 10. */
export type SlowFile = { name: string; build: (scale: number) => Buffer };

const KIB = 1024;

const NS = "http://schemas.openxmlformats.org";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const override = (part: string, type: string) =>
  `<Override PartName="/xl/${part}.xml" ContentType="${TYPE}.${type}+xml"/>`;

/** Members of a valid workbook, any of them replaced. */
export const workbook = (members: Record<string, string | Buffer>): Buffer =>
  toZip({
    "[Content_Types].xml": `<Types xmlns="${NS}/package/2006/content-types">${override("workbook", "sheet.main")}${override("worksheets/sheet1", "worksheet")}${override("sharedStrings", "sharedStrings")}${override("styles", "styles")}</Types>`,
    "xl/workbook.xml": `<workbook xmlns="${NS}/spreadsheetml/2006/main"><sheets><sheet name="One" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Type="${NS}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    "xl/styles.xml": "<styleSheet><fills><fill/></fills></styleSheet>",
    "xl/sharedStrings.xml": "<sst/>",
    "xl/worksheets/sheet1.xml": "<worksheet><sheetData/></worksheet>",
    ...members,
  });
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
  { name: "lists in lists", build: (n) => text("[".repeat(300 * KIB * n)) },
  { name: "objects in objects", build: (n) => text('{"a":'.repeat(100 * KIB * n)) },
  { name: "a string without an end", build: (n) => text(`["${"\\u0061".repeat(50 * KIB * n)}`) },
  { name: "5,000 columns", build: (n) => text(row(5_000, "column").repeat(2 + n)) },
  { name: "a cell of a megabyte", build: (n) => text(`a,b\r\n"${'""'.repeat(100 * KIB * n)}",x\r\n`) },
  { name: "quotes that open again and again", build: (n) => text(`a,b\r\n${'"a"b"'.repeat(50_000 * n)}`) },
  { name: "delimiters of every kind", build: (n) => text(`${",;\t|".repeat(60)}\r\n`.repeat(500 * n)) },
  { name: "a gzip bomb", build: (n) => gzipSync(Buffer.alloc(15 * KIB * KIB * n, "\n")) },
];
