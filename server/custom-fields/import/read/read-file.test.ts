import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanCell } from "@/server/custom-fields/import/normalise";
import { toCsv as writeCsv } from "@/server/ground/csv";
import {
  AUTOMATE_HEADER,
  automateCsv,
  automateRow,
  encodeText,
  extraField,
  type TextVariant,
  toCsv,
} from "@/testing/import/files";
import { brokenLaw, type Law, reader, withLaws } from "@/testing/import/reader";
import { orderedRuns, reportCases } from "@/testing/ordered";

/** `npm run torture -- F3-import --full` runs a hundred thousand. */
const RUNS = orderedRuns(300);
const read = reader("automate");
const expectedRow = (n: number) => automateRow(n).map(cleanCell);

describe("reading the Automate extra data view", () => {
  const variants: [string, TextVariant, string][] = [
    ["UTF-8", { encoding: "utf-8" }, "utf-8"],
    ["UTF-8 with a mark", { encoding: "utf-8", bom: true }, "utf-8"],
    ["UTF-16 LE with a mark", { encoding: "utf-16le", bom: true }, "utf-16le"],
    ["UTF-16 BE with a mark", { encoding: "utf-16be", bom: true }, "utf-16be"],
    ["UTF-16 LE without one", { encoding: "utf-16le" }, "utf-16le"],
    ["UTF-16 BE without one", { encoding: "utf-16be" }, "utf-16be"],
    ["gzip", { encoding: "utf-8", gzip: true }, "utf-8"],
  ];
  it.each(variants)("reads %s", async (_, variant, encoding) => {
    const { format, records, titles } = await read(encodeText(automateCsv(40), variant));
    expect(format).toMatchObject({
      encoding,
      delimiter: ",",
      headerRow: 1,
      shape: "wide",
      gzip: variant.gzip ?? false,
    });
    expect(titles).toEqual(AUTOMATE_HEADER);
    expect(records.map((r) => r.cells)).toEqual(Array.from({ length: 40 }, (_, i) => expectedRow(i + 1)));
    expect(records.every((r) => r.fault === null)).toBe(true);
  });

  it("reads Windows-1252 even if the first non-ASCII character comes late", async () => {
    const rows = Array.from({ length: 9000 }, (_, i) => [String(i), `PC${i}`, i === 8999 ? "Zoë Brüning" : "Anna"]);
    const text = toCsv([["Computer ID", "Computer Name", "Primary User"], ...rows]);
    const { format, records } = await read(encodeText(text, { encoding: "windows-1252" }));
    expect(format.encoding).toBe("windows-1252");
    expect(records.at(-1)?.cells[2]).toBe("Zoë Brüning");
  });

  it.each([";", "\t", "|"])("detects the delimiter %j and quoted newlines", async (delimiter) => {
    const { format, records } = await read(automateCsv(30, delimiter));
    expect(format.delimiter).toBe(delimiter);
    expect(records[12]?.cells[12]).toBe('Line one, with "quotes"\nline two of 13');
  });

  it("detects the delimiter when the sample ends within a quoted cell", async () => {
    const notes = `"${"one line, and one more\n".repeat(600)}"`;
    const { format, records } = await read(
      `Computer ID;Computer Name;Notes\n${[1, 2, 3, 4, 5, 6, 7, 8].map((i) => `${i};PC${i};${notes}\n`).join("")}`,
    );
    expect(format.delimiter).toBe(";");
    expect(records).toHaveLength(8);
  });

  it("finds a header below a report title and each record's line number", async () => {
    const { format, records } = await read(
      `Extra data\n\n${toCsv([
        ["Computer ID", "Computer Name", "Notes"],
        ["1", "A", "x\ny"],
        ["2", "B", "z"],
      ])}`,
    );
    expect(format.headerRow).toBe(2);
    expect(records.map((r) => r.line)).toEqual([4, 6]);
  });

  it("understands Excel's sep= line", async () => {
    const { format, titles } = await read("sep=;\r\nComputer ID;Computer Name\r\n1;A\r\n2;B\r\n");
    expect(format).toMatchObject({ delimiter: ";", headerRow: 1 });
    expect(titles).toEqual(["Computer ID", "Computer Name"]);
    expect((await read("sep=;\r\nA;1\r\n2;3\r\n")).titles).toEqual(["A", "1"]);
  });

  it("keeps ragged rows and reports their fault", async () => {
    const { records } = await read("Computer ID,Computer Name,Notes\n1,A,x\n2,B\n3,C,y,z\n4,D,w,\n");
    expect(records.map((r) => r.fault)).toEqual([
      null,
      "has 2 cells where the header has 3",
      "has 4 cells where the header has 3",
      null,
    ]);
    expect(records[2]?.cells).toEqual(["3", "C", "y", "z"]);
  });

  it("treats NULL, (null), \\N and zero dates as blank, and unescapes guarded formulas", async () => {
    const { records } = await read(
      "Computer ID,Computer Name,A,B,C,D,E\n1,PC,NULL,(null),0000-00-00 00:00:00,'=1+1,\\N\n",
    );
    expect(records[0]?.cells.slice(2)).toEqual(["", "", "", "=1+1", ""]);
  });

  it("reads values that our downloads escape, including full-width signs", async () => {
    const cells = ["=1+1", "+49", "-5", "@home", "＝1", "＋49", "－5", "＠home", "'quoted'"];
    const { records } = await read(
      writeCsv([
        ["Computer ID", ...cells.map((_, i) => `F${i}`)],
        ["1", ...cells],
      ]),
    );
    expect(records[0]?.cells).toEqual(["1", ...cells]);
  });

  it("names the line of an unclosed quote", async () => {
    await expect(read(`Computer ID,Computer Name\n1,A\n2,"B\n3,C\n`)).rejects.toThrow(
      /near line 3 and is never closed/,
    );
  });

  it("rejects oversized, empty and broken files with a clear message", async () => {
    const big = `Computer ID,Name\n${"1,a\n".repeat(200_001)}`;
    await expect(read(big)).rejects.toThrow("more than 200,000 rows");
    const bomb = gzipSync(Buffer.alloc(101 * 1024 * 1024, "a"));
    await expect(read(bomb)).rejects.toThrow("over 100 MiB");
    await expect(read("")).rejects.toThrow("is empty");
    await expect(read(gzipSync("Computer ID,Name\n1,a\n").subarray(0, 30))).rejects.toThrow("no complete gzip file");
  });
});

describe("other file layouts", () => {
  it("pivots (computer, field, value) rows in any order", async () => {
    const rows = [
      ["Computer ID", "Computer Name", "Field", "Value"],
      ["7", "PC7", "Asset Tag", "A7"],
      ["8", "PC8", "Asset Tag", "A8"],
      ["7", "PC7", "Role", "DC"],
      ["8", "PC8", "Role", ""],
      ["", "", "Role", "lost"],
      ["9", "PC9", "Role", "one"],
      ["9", "PC9", "Role", "two"],
    ];
    const { format, records, titles } = await read(toCsv(rows));
    expect(format.shape).toBe("long");
    expect(titles).toEqual(["Computer ID", "Computer Name", "Asset Tag", "Role"]);
    expect(records.map((r) => r.cells)).toEqual([
      ["7", "PC7", "A7", "DC"],
      ["8", "PC8", "A8", ""],
      ["", "", null, "lost"],
      ["9", "PC9", null, "one"],
    ]);
    expect(records.map((r) => r.fault)).toEqual([
      null,
      null,
      "names no computer",
      "line 8 gives a second value for Role",
    ]);
  });

  it.each<[string, string, (string | null)[][]]>([
    [
      "of two clients",
      "Client Name,Computer Name,Field,Value\nContoso,SERVER01,Tag,A-1\nFabrikam,SERVER01,Warranty,2027\n",
      [
        ["Contoso", "SERVER01", "A-1"],
        ["Fabrikam", "SERVER01", null, "2027"],
      ],
    ],
    [
      "of two clients in an unknown column",
      "Kunde,Computer Name,Field,Value\nContoso,SERVER01,Tag,A-1\nFabrikam,SERVER01,Tag,A-2\ncontoso,server01,Role,DC\n",
      [
        ["Contoso", "SERVER01", "A-1", "DC"],
        ["Fabrikam", "SERVER01", "A-2"],
      ],
    ],
    [
      "of two serial numbers",
      "Computer Name,Serial,Field,Value\nPC1,S1,Tag,A-1\nPC1,S2,Role,DC\n",
      [
        ["PC1", "S1", "A-1"],
        ["PC1", "S2", null, "DC"],
      ],
    ],
  ])("keeps two computers %s apart", async (_, text, expected) => {
    const { records } = await read(text);
    expect(records.map((r) => [r.fault, ...r.cells])).toEqual(expected.map((cells) => [null, ...cells]));
  });

  it("fills in a computer's identity from its first line and later ones", async () => {
    const { records } = await read(
      toCsv([
        ["Computer ID", "Computer Name", "Client", "Field", "Value"],
        ["7", "PC7", "", "Tag", "A7"],
        ["7", "", "Contoso", "Role", "DC"],
        ["", "PC8", "Contoso", "Tag", "A8"],
        ["", "pc8", "", "Role", "File"],
      ]),
    );
    expect(records.map((r) => [r.fault, ...r.cells])).toEqual([
      [null, "7", "PC7", "Contoso", "A7", "DC"],
      [null, "", "PC8", "Contoso", "A8", "File"],
    ]);
  });

  it("reports lines that could mean either of two computers with one name", async () => {
    const { records } = await read(
      "Client,Computer Name,Field,Value\nContoso,PC1,Tag,A\n,PC1,Role,DC\nFabrikam,PC1,Tag,B\n,PC1,Floor,2\n",
    );
    expect(records.map((r) => [r.line, r.fault])).toEqual([
      [2, null],
      [3, "has no Client, in which computers of its name differ"],
      [4, null],
    ]);
  });

  it.each(["Computer Name", "Client", "Serial Number"])("reports an ID with a second %s", async (title) => {
    const { records } = await read(`Computer ID,${title},Field,Value\n5,one,Tag,A\n5,ONE,Role,DC\n5,two,Floor,2\n`);
    expect(records.map((r) => r.fault)).toEqual([`line 4 gives a second value for ${title}`]);
  });

  it("treats equal names at two clients as two computers in a dump, too", async () => {
    const entry = (of: object, title: string, value: string) => ({
      ...of,
      ...extraField(title, { TextFieldSettings: { Value: value } }),
    });
    const { records } = await read(
      JSON.stringify([
        entry({ Client: "Contoso", ComputerName: "SERVER01" }, "Tag", "A-1"),
        entry({ Client: "Fabrikam", ComputerName: "SERVER01" }, "Role", "DC"),
        entry({ ComputerId: 5, ComputerName: "WS1" }, "Tag", "A-5"),
        entry({ ComputerId: 5, ComputerName: "WS2" }, "Role", "DC"),
        entry({ Client: "Contoso" }, "Tag", "A-7"),
      ]),
    );
    expect(records.map((r) => [r.fault, ...r.cells])).toEqual([
      [null, "", "SERVER01", "Contoso", "", "A-1"],
      [null, "", "SERVER01", "Fabrikam", "", null, "DC"],
      ["line 4 gives a second value for Hostname", "5", "WS1", "", "", "A-5", "DC"],
      ["names no computer", "", "", "Contoso", "", "A-7"],
    ]);
  });

  it("reads a dump keyed by computer ID and one with an entry per field", async () => {
    const keyed = { 3: [extraField("Tag", { TextFieldSettings: { Value: 'x{]\\"' } })], 4: [] };
    expect((await read(JSON.stringify(keyed))).records.map((r) => [r.cells[0], r.cells[4]])).toEqual([
      ["3", 'x{]\\"'],
      ["4", undefined],
    ]);
    const entries = [1, 2, 1].map((ComputerId, i) => ({
      ComputerId,
      ...extraField(`F${i}`, { TextFieldSettings: { Value: `v${i}` } }),
    }));
    const { records, titles } = await read(JSON.stringify(entries));
    expect(titles.slice(4)).toEqual(["F0", "F2", "F1"].sort());
    expect(records).toHaveLength(2);
  });

  it.each([
    ['[{"Id":1},', "at its end: something is missing"],
    ['[{"Id":1},\n{"Id":2}\n{"Id" 3}]', "between lines 1 and 3"],
    ['{"Id":1}\n{"Id":2}\n{"Id" 3}\n', "in line 3"],
  ])("names the place of a fault in JSON: %j", async (text, place) => {
    await expect(read(text)).rejects.toThrow(`The file is not valid JSON ${place}.`);
  });

  it("reads JSON split at any point", async () => {
    const { splitJson } = await import("./json-parts");
    const value = fc.jsonValue({ maxDepth: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(value), fc.integer({ min: 1, max: 7 }), fc.boolean(), async (list, size, spaced) => {
        const text = JSON.stringify(list, null, spaced ? 2 : 0);
        async function* pieces() {
          for (let i = 0; i < text.length; i += size) yield text.slice(i, i + size);
        }
        const parts = [];
        for await (const part of splitJson(pieces())) parts.push(part.value);
        // A list in the list is a page: its elements come one by one, as they would without it.
        expect(parts).toEqual(JSON.parse(text).flat());
      }),
      { numRuns: 500 },
    );
  });
});

describe("any file content", () => {
  it.each([0, 1, 2])("satisfies law %i of the reader and header matcher", async (which) => {
    await withLaws(async (laws) => fc.assert(laws[which]?.property as Law["property"], RUNS));
    reportCases(RUNS.numRuns);
  });

  it("a reader that ignores quotes violates a law", async () => {
    const { failed, numRuns } = await fc.check(brokenLaw(), { numRuns: 1_000 });
    reportCases(0, `control, a reader that knows no quotes: found out after ${numRuns} cases`);
    expect(failed).toBe(true);
  });
});
