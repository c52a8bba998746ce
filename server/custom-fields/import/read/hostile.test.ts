import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setInterval } from "node:timers";
import { describe, expect, it } from "vitest";
import { presetOf } from "@/server/custom-fields/import/presets";
import { ARCHIVE_BOMBS } from "@/testing/import/archive-bombs";
import { toZip } from "@/testing/import/files";
import { workbook } from "@/testing/import/slow-files";
import { tempFolder } from "@/testing/temp-folder";
import { detect } from "./detect-format";
import { readSource } from "./read-file";

const automate = presetOf("automate");

const folder = tempFolder();
const MiB = 1024 * 1024;

const sheet = (rows: string): Buffer =>
  workbook({ "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>` });

const openDocument = (content: string): Buffer =>
  toZip({
    mimetype: "application/vnd.oasis.opendocument.spreadsheet",
    "META-INF/manifest.xml": "<manifest:manifest/>",
    "content.xml": `<office:document-content><office:body><office:spreadsheet><table:table table:name="One">${content}</table:table></office:spreadsheet></office:body></office:document-content>`,
  });

/** Time that this process has computed (ms): unlike the clock it does not depend on what else the machine does. */
function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** How reading a file ends, what it costs, and for how long at most (ms) it kept everything else of the process waiting. */
async function readAll(content: string | Buffer): Promise<{ end: string; blockedMs: number; tookMs: number }> {
  const path = join(folder, "file");
  writeFileSync(path, content);
  const began = busyMs();
  let [last, blockedMs] = [began, 0];
  const pulse = setInterval(() => {
    const now = busyMs();
    blockedMs = Math.max(blockedMs, now - last);
    last = now;
  }, 1);
  try {
    const { format } = await detect(path, automate);
    let rows = 0;
    for await (const _ of readSource(path, { format, preset: automate }).records) rows++;
    return { end: `${rows} rows`, blockedMs, tookMs: busyMs() - began };
  } catch (error) {
    return { end: String(error), blockedMs, tookMs: busyMs() - began };
  } finally {
    clearInterval(pulse);
  }
}

/** Far above what linear reading costs, far below what quadratic reading of the same files does (minutes). */
const MOST_MS = 5_000;
const BLOCKED_MS = 1_500;

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

const BLANK = /nothing but blank lines|^Error: The file is a damaged workbook|^0 rows$/;

describe("a malicious workbook", () => {
  const cases: [string, Buffer, RegExp][] = [
    ["styles that begin again and again", workbook({ "xl/styles.xml": "<cellXfs ".repeat(600_000) }), BLANK],
    ["styles without an end", workbook({ "xl/styles.xml": "<cellXfs>".repeat(600_000) }), BLANK],
    ["a list of styles of 64 MiB", workbook({ "xl/styles.xml": `<s>${" ".repeat(64 * MiB)}</s>` }), BLANK],
    [
      "phonetic hints without an end",
      workbook({ "xl/sharedStrings.xml": `<sst><si>${"<rPh>".repeat(400_000)}` }),
      BLANK,
    ],
    ["a checksum that is not the sheet's", withWrongSum(sheet('<row><c t="str"><v>1</v></c></row>')), /damaged/],
    ["one part twice", withTwoSheets(), /two parts of one name/],
    ["cells without an end", sheet(`<row>${"<c>".repeat(400_000)}`), BLANK],
    ["a tag without an end", sheet(`<row>${"<c ".repeat(400_000)}`), BLANK],
    ["attributes without an end", sheet(`<row><c ${'a="b" '.repeat(400_000)}`), BLANK],
    ["a comment without an end", sheet(`<!--${"-".repeat(3 * MiB)}`), BLANK],
    ["entities that multiply", sheet(`<!DOCTYPE a [<!ENTITY b "bbb">]><row><c t="str"><v>&b;</v></c></row>`), BLANK],
    ["one endless text", sheet(`<row><c t="str"><v>${"a".repeat(3 * MiB)}</v></c></row>`), /over a million characters/],
    [
      "rows with a cell at the far end",
      sheet('<row><c r="XFD1"><v>1</v></c></row>'.repeat(5000)),
      /beyond column 1000/,
    ],
    ["more cells than fit", sheet(`<row>${"<c><v>1</v></c>".repeat(290)}</row>`.repeat(9_000)), /over 2,500,000 cells/],
    ["a sheet of a gigabyte", ARCHIVE_BOMBS[0]?.build(1) ?? Buffer.alloc(0), /unpacks to over 256 MiB/],
    ["sheets by the million", ARCHIVE_BOMBS[2]?.build(10) ?? Buffer.alloc(0), /over 1,000 sheets/],
    ["strings by the million", ARCHIVE_BOMBS[5]?.build(10) ?? Buffer.alloc(0), /over 750,000 different texts/],
    [
      "one cell in ten million places",
      openDocument(
        '<table:table-row table:number-rows-repeated="10000"><table:table-cell table:number-columns-repeated="1000"><text:p>a</text:p></table:table-cell></table:table-row>',
      ),
      /over 2,500,000 cells/,
    ],
    [
      "merged cells by the ten million",
      openDocument(
        '<table:table-row><table:covered-table-cell table:number-columns-repeated="10000000"/></table:table-row>',
      ),
      /over 2,500,000 cells/,
    ],
    ["OpenDocument rows without an end", openDocument("<table:table-row ".repeat(400_000)), BLANK],
    ["OpenDocument styles without an end", openDocument("<style:style ".repeat(400_000)), BLANK],
    ["members that are one", ARCHIVE_BOMBS[3]?.build(10) ?? Buffer.alloc(0), /damaged|without a workbook/],
    [
      "a row number beyond every sheet",
      sheet('<row r="4000000000"><c t="str"><v>Computer ID</v></c></row><row r="x"><c><v>1</v></c></row>'),
      BLANK,
    ],
  ];
  it.each(cases)("is rejected quickly: %s", async (_, content, end) => {
    const read = await readAll(content);
    expect(read.end).toMatch(end);
    expect(read.tookMs).toBeLessThan(4 * MOST_MS);
  });
});

describe("a malicious file", () => {
  const cases: [string, string, RegExp][] = [
    ["lists in lists", "[".repeat(3 * MiB), /nested too deeply/],
    ["objects in objects", '{"a":'.repeat(MiB), /nested too deeply/],
    ["a string without an end", `["${"a".repeat(3 * MiB)}`, /over a million characters/],
    ["a line of JSON without an end", `{"a":1}\n{"b":"${"a".repeat(3 * MiB)}`, /over a million characters/],
    ["a list that ends too early", '[{"Id":1},', /not valid JSON at its end: something is missing/],
    ["a list with a fault", '[{"Id":1},\n{"Id":2}\n{"Id" 3}]', /not valid JSON between lines 1 and 3/],
    ["a fault in one of the lines", '{"Id":1}\n{"Id":2}\n{"Id" 3}\n', /not valid JSON in line 3/],
  ];
  it.each(cases)("is rejected quickly: %s", async (_, content, end) => {
    const read = await readAll(content);
    expect(read.end).toMatch(end);
    expect(read.tookMs).toBeLessThan(MOST_MS);
    expect(read.blockedMs).toBeLessThan(BLOCKED_MS);
  });
});
