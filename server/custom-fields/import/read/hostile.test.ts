import { setInterval } from "node:timers";
import { expect, it } from "vitest";
import { openDocument, workbook } from "@/testing/import/files";
import { reader } from "@/testing/import/reader";
import { SLOW_FILES, type SlowFile } from "@/testing/import/slow-files";

const read = reader("automate");

/** Time that this process has computed (ms): unlike the clock it does not depend on what else the machine does. */
function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** How reading a file ends, what it costs, and for how long at most (ms) it kept everything else of the process waiting. */
async function measure(content: Buffer): Promise<{ end: string; blockedMs: number; tookMs: number }> {
  const began = busyMs();
  let [last, blockedMs] = [began, 0];
  const pulse = setInterval(() => {
    const now = busyMs();
    blockedMs = Math.max(blockedMs, now - last);
    last = now;
  }, 1);
  const end = await read(content).then(({ rows }) => `${rows.length} rows`, String);
  clearInterval(pulse);
  return { end, blockedMs, tookMs: busyMs() - began };
}

/** Far above what linear reading costs, far below what quadratic reading of the same files does (minutes). */
const MOST_MS = 5_000;
const BLOCKED_MS = 1_500;
const MiB = 1024 * 1024;

/** The workbook with another checksum of its sheet in the directory. */
function withWrongSum(whole: Buffer): Buffer {
  const record = whole.lastIndexOf("xl/worksheets/sheet1.xml") - 46;
  whole.writeUInt32LE((whole.readUInt32LE(record + 16) ^ 1) >>> 0, record + 16);
  return whole;
}

/** A workbook whose sheet is in it twice, which no program reads alike. */
function withTwoSheets(): Buffer {
  const one = "<worksheet><sheetData></sheetData></worksheet>";
  const whole = workbook({ "xl/worksheets/sheet1.xml": one, "xl/worksheets/sheet2.xml": one });
  return Buffer.from(whole.toString("latin1").replaceAll("sheet2.xml", "sheet1.xml"), "latin1");
}

const sheet = (rows: string): Buffer =>
  workbook({ "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>` });
const table = (rows: string): Buffer => openDocument(`<table:table table:name="One">${rows}</table:table>`);
const row = (attributes: string, cells: string) => `<table:table-row${attributes}>${cells}</table:table-row>`;
const TEXT = '<c t="str"><v>Computer ID</v></c>';
const TEN_MILLION = '<table:covered-table-cell table:number-columns-repeated="10000000"/>';
const A_THOUSAND = '<table:table-cell table:number-columns-repeated="1000"><text:p>a</text:p></table:table-cell>';

const FILES: readonly SlowFile[] = [
  ...SLOW_FILES,
  { name: "64 MiB of styles", build: () => workbook({ "xl/styles.xml": `<s>${" ".repeat(64 * MiB)}</s>` }) },
  { name: "another checksum than the sheet's", end: /damaged/, build: () => withWrongSum(sheet(`<row>${TEXT}</row>`)) },
  { name: "one part twice", end: /two parts of one name/, build: withTwoSheets },
  {
    name: "one endless text",
    end: /over a million characters/,
    build: () => sheet(`<row><c t="str"><v>${"a".repeat(3 * MiB)}</v></c></row>`),
  },
  {
    name: "rows with a cell at the far end",
    end: /beyond column 1000/,
    build: () => sheet('<row><c r="XFD1"><v>1</v></c></row>'.repeat(5000)),
  },
  {
    name: "more cells than fit",
    end: /over 2,500,000 cells/,
    build: () => sheet(`<row>${"<c><v>1</v></c>".repeat(290)}</row>`.repeat(9_000)),
  },
  {
    name: "one cell in ten million places",
    end: /over 2,500,000 cells/,
    build: () => table(row(' table:number-rows-repeated="10000"', A_THOUSAND)),
  },
  { name: "merged cells by the ten million", end: /over 2,500,000 cells/, build: () => table(row("", TEN_MILLION)) },
  { name: "OpenDocument rows without an end", build: () => table("<table:table-row ".repeat(400_000)) },
  { name: "OpenDocument styles without an end", build: () => table("<style:style ".repeat(400_000)) },
  {
    name: "a row number beyond every sheet",
    build: () => sheet(`<row r="4000000000">${TEXT}</row><row r="x"><c><v>1</v></c></row>`),
  },
  {
    name: "a line of JSON without an end",
    end: /over a million characters/,
    build: () => Buffer.from(`{"a":1}\n{"b":"${"a".repeat(3 * MiB)}`),
  },
];

const BLANK = /nothing but blank lines|^Error: The file is a damaged workbook|^0 rows$/;

it.each(FILES)("a malicious file is rejected quickly: $name", async ({ build, end = BLANK }) => {
  const content = build(10);
  const isWorkbook = content.toString("latin1", 0, 2) === "PK";
  const result = await measure(content);
  expect(result.end).toMatch(end);
  expect(result.tookMs).toBeLessThan(isWorkbook ? 4 * MOST_MS : MOST_MS);
  if (!isWorkbook) expect(result.blockedMs).toBeLessThan(BLOCKED_MS);
});
