import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { automate } from "@/server/custom-fields/import/presets/automate";
import { encodeText } from "@/testing/import-files";
import { detect } from "./detect-format";
import { readSource } from "./read-file";

/** Files as other programs write them, taken from their output and made anonymous. */

const folder = mkdtempSync(join(tmpdir(), "trailmark-elsewhere-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(content: Buffer | string) {
  const path = join(folder, "file");
  writeFileSync(path, content);
  const { format, headerDoubts } = await detect(path, automate);
  const { columns, records } = readSource(path, { format, preset: automate });
  const rows: string[][] = [];
  for await (const { cells, fault } of records) rows.push(fault === null ? cells : [fault]);
  return { format, headerDoubts, titles: columns.titles, rows };
}

const TYPE = "#TYPE System.Management.Automation.PSCustomObject\r\n";
const exported =
  '"Computer ID";"Computer Name";"Asset Tag"\r\n"1";"PC1";"A;1"\r\n"2";"PC2";"A""2"\r\n"3";"PC3";"000007"\r\n';

it("reads what Export-Csv of PowerShell writes: a line with the type, quotes everywhere, UTF-16, semicolons", async () => {
  const file = await read(encodeText(TYPE + exported, { encoding: "utf-16le", bom: true }));
  expect(file.format).toMatchObject({ encoding: "utf-16le", delimiter: ";", headerRow: 2 });
  expect(file.titles).toEqual(["Computer ID", "Computer Name", "Asset Tag"]);
  expect(file.rows).toEqual([
    ["1", "PC1", "A;1"],
    ["2", "PC2", 'A"2'],
    ["3", "PC3", "000007"],
  ]);
});

it("takes the row of names among two rows of headings, and keeps blank columns before the first", async () => {
  const two = await read("Machine,,Purchase,\r\nComputer ID,Computer Name,Bought,Price\r\n1,PC1,31/12/2024,5\r\n");
  expect(two).toMatchObject({ format: { headerRow: 2 }, rows: [["1", "PC1", "31/12/2024", "5"]] });
  const blank = await read(",,Computer ID,Computer Name,Asset\r\n,,1,PC1,x\r\n,,2,PC2,y\r\n");
  expect(blank.titles.slice(2)).toEqual(["Computer ID", "Computer Name", "Asset"]);
  expect(blank.rows).toEqual([
    ["", "", "1", "PC1", "x"],
    ["", "", "2", "PC2", "y"],
  ]);
});

it("says what speaks for a row of values where the heading should be", async () => {
  const rows = Array.from({ length: 6 }, (_, i) => `WS-00${i},Contoso,AT-${i}`).join("\r\n");
  const { headerDoubts } = await read(`${rows}\r\n`);
  expect(headerDoubts).toEqual([
    "WS-000 looks like 5 of the 5 values below it",
    "Contoso stands among the values below it",
    "AT-0 looks like 5 of the 5 values below it",
  ]);
});
