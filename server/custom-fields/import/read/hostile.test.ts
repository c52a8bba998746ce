import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setInterval } from "node:timers";
import { describe, expect, it } from "vitest";
import { automate } from "@/server/custom-fields/import/presets/automate";
import { workbook } from "@/testing/import/slow-files";
import { detectFormat } from "./detect-format";
import { readSource } from "./read-file";

const folder = mkdtempSync(join(tmpdir(), "trailmark-hostile-"));
const MiB = 1024 * 1024;

const sheet = (rows: string): Buffer =>
  workbook({ "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>` });

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
    const format = await detectFormat(path, automate);
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

describe("a hostile file", () => {
  const DAMAGED = /damaged workbook/;
  const cases: [string, Buffer | string, RegExp][] = [
    ["styles that begin again and again", workbook({ "xl/styles.xml": "<cellXfs ".repeat(600_000) }), DAMAGED],
    [
      "sheets by the hundred thousand",
      workbook({
        "xl/workbook.xml": `<workbook><sheets>${'<sheet name="S" r:id="r"/>'.repeat(400_000)}</sheets></workbook>`,
      }),
      /over 1,000 sheets/,
    ],
    ["styles without an end", workbook({ "xl/styles.xml": "<cellXfs>".repeat(600_000) }), DAMAGED],
    [
      "phonetic hints without an end",
      workbook({ "xl/sharedStrings.xml": `<sst><si>${"<rPh>".repeat(400_000)}` }),
      DAMAGED,
    ],
    ["a sheet that is not what was packed", withWrongSum(sheet('<row><c t="str"><v>Id</v></c></row>')), DAMAGED],
    ["one part twice", withTwoSheets(), /two parts of one name/],
    ["texts without an end", workbook({ "xl/sharedStrings.xml": `<sst><si>${"<t>".repeat(400_000)}` }), DAMAGED],
    ["cells without an end", sheet(`<row>${"<c>".repeat(400_000)}`), DAMAGED],
    ["a tag without an end", sheet(`<row>${"<c ".repeat(400_000)}`), DAMAGED],
    ["attributes without an end", sheet(`<row><c ${'a="b" '.repeat(400_000)}`), /over a million characters|damaged/],
    ["a comment without an end", sheet(`<!--${"-".repeat(3 * MiB)}`), /over a million characters|damaged/],
    ["entities that multiply", sheet(`<!DOCTYPE a [<!ENTITY b "bbb">]><row><c t="str"><v>&b;</v></c></row>`), DAMAGED],
    ["one endless text", sheet(`<row><c t="str"><v>${"a".repeat(3 * MiB)}</v></c></row>`), /over a million characters/],
    [
      "rows with a cell at the far end",
      sheet('<row><c r="XFD1"><v>1</v></c></row>'.repeat(5000)),
      /beyond column 1000/,
    ],
    [
      "one long string in every cell",
      workbook({
        "xl/sharedStrings.xml": `<sst><si><t>${"a".repeat(MiB / 2)}</t></si></sst>`,
        "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${`<row>${'<c t="s"><v>0</v></c>'.repeat(300)}</row>`.repeat(2000)}`,
      }),
      /row of over a million characters/,
    ],
    [
      "a row number beyond every sheet",
      sheet('<row r="99999999999"><c t="str"><v>Computer ID</v></c></row><row r="x"><c><v>1</v></c></row>'),
      /^1 rows$/,
    ],
    ["a list of styles of 64 MiB", workbook({ "xl/styles.xml": `<s>${" ".repeat(64 * MiB)}</s>` }), /is too large/],
    ["lists in lists", "[".repeat(3 * MiB), /nested too deeply/],
    ["objects in objects", '{"a":'.repeat(MiB), /nested too deeply/],
    ["a string without an end", `["${"a".repeat(3 * MiB)}`, /over a million characters/],
    ["a line of JSON without an end", `{"a":1}\n{"b":"${"a".repeat(3 * MiB)}`, /over a million characters/],
    ["a list that ends too early", '[{"Id":1},', /not valid JSON at its end: something is missing/],
    ["a list with a fault", '[{"Id":1},\n{"Id":2}\n{"Id" 3}]', /not valid JSON between lines 1 and 3/],
    ["a fault in one of the lines", '{"Id":1}\n{"Id":2}\n{"Id" 3}\n', /not valid JSON in line 3/],
  ];
  it.each(cases)("of %s is given up in good time", async (_, content, end) => {
    const read = await readAll(content);
    expect(read.end).toMatch(end);
    expect(read.tookMs).toBeLessThan(MOST_MS);
    expect(read.blockedMs).toBeLessThan(BLOCKED_MS);
  });

  it("costs in proportion to its length", async () => {
    const timeOf = async (repeats: number) =>
      (
        await readAll(
          sheet(`<row>${'<c r="A1" t="inlineStr"><is><t>x</t></is></c>'.repeat(200)}</row>`.repeat(repeats)),
        )
      ).tookMs;
    await timeOf(100);
    const [short, long] = [await timeOf(200), await timeOf(800)];
    expect(long).toBeLessThan(short * 10 + 200);
  });
});
