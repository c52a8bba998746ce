import { describe, expect, it } from "vitest";
import { encodeText } from "@/testing/import/files";
import { reader } from "@/testing/import/reader";

/** Files as other programs write them, taken from their output and made anonymous. */

const read = reader("automate");

const TYPE = "#TYPE System.Management.Automation.PSCustomObject\r\n";
const exported =
  '"Computer ID";"Computer Name";"Asset Tag"\r\n"1";"PC1";"A;1"\r\n"2";"PC2";"A""2"\r\n"3";"PC3";"000007"\r\n';

it("reads PowerShell Export-Csv files: type line, quotes, UTF-16, semicolons", async () => {
  const file = await read(encodeText(TYPE + exported, { encoding: "utf-16le", bom: true }));
  expect(file.format).toMatchObject({ encoding: "utf-16le", delimiter: ";", headerRow: 1 });
  expect(file.titles).toEqual(["Computer ID", "Computer Name", "Asset Tag"]);
  expect(file.rows).toEqual([
    ["1", "PC1", "A;1"],
    ["2", "PC2", 'A"2'],
    ["3", "PC3", "000007"],
  ]);
});

it("finds the column titles among two header rows and after blank columns", async () => {
  const two = await read("Machine,,Purchase,\r\nComputer ID,Computer Name,Bought,Price\r\n1,PC1,31/12/2024,5\r\n");
  expect(two).toMatchObject({ format: { headerRow: 2 }, rows: [["1", "PC1", "31/12/2024", "5"]] });
  const blank = await read(",,Computer ID,Computer Name,Asset\r\n,,1,PC1,x\r\n,,2,PC2,y\r\n");
  expect(blank.titles.slice(2)).toEqual(["Computer ID", "Computer Name", "Asset"]);
  expect(blank.rows).toEqual([
    ["", "", "1", "PC1", "x"],
    ["", "", "2", "PC2", "y"],
  ]);
});

it("reads a table that starts with PK and is no archive", async () => {
  expect((await read("PK,Computer Name\r\n1,PC1\r\n2,PC2\r\n")).rows).toEqual([
    ["1", "PC1"],
    ["2", "PC2"],
  ]);
});

it.each([
  ['TABLE\r\n0,1\r\n"sheet"\r\nVECTORS\r\n0,2\r\n', /Data Interchange Format/],
  ['ID;PWXL;N;E\r\nP;PGeneral\r\nC;Y1;X1;K"Computer ID"\r\n', /SYLK/],
])("rejects %j and names its actual type", async (text, reason) => {
  await expect(read(text)).rejects.toThrow(reason);
});

it("ignores a second byte order mark", async () => {
  const file = await read(
    encodeText('\ufeff"Computer ID","Computer Name"\r\n"1","PC1"\r\n', { encoding: "utf-8", bom: true }),
  );
  expect(file.titles).toEqual(["Computer ID", "Computer Name"]);
});

it("skips repeated headers in concatenated files and says so", async () => {
  const page = '\ufeff"Computer ID","Computer Name","Role"\r\n';
  const file = await read(`${page}1,PC1,DC\r\n${page}2,PC2,File\r\n`);
  expect(file.rows).toEqual([
    ["1", "PC1", "DC"],
    ["2", "PC2", "File"],
  ]);
  expect(file.notes).toEqual(["1 row repeats the header and is left out (line 3)."]);
});

it("reads formula errors in a text file as missing values and reports where", async () => {
  const file = await read("Computer Name,RAM,Notes\r\nPC1,#N/A,#1 machine\r\nPC2,8,#NV\r\nPC3,Err:502,#WERT!\r\n");
  expect(file.rows).toEqual([
    ["PC1", null, "#1 machine"],
    ["PC2", "8", null],
    ["PC3", null, null],
  ]);
  expect(file.notes).toEqual([
    "4 cells hold an error such as #N/A and are read as no value (line 2, line 3, line 4, line 4).",
  ]);
});

it("reports text that cannot be decoded in the encoding of the byte order mark", async () => {
  const text = encodeText("Computer Name,City\r\nPC1,München\r\n", { encoding: "windows-1252" });
  const { notes } = await read(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text]));
  expect(notes).toEqual([expect.stringMatching(/^1 value holds .* not understood: another encoding .* \(line 2\)/)]);
});

it("keeps Windows-1252 if the last byte could start a UTF-8 sequence", async () => {
  const file = await read(encodeText("Computer Name,City\r\nPC1,Orlé", { encoding: "windows-1252" }));
  expect(file).toMatchObject({ format: { encoding: "windows-1252" }, rows: [["PC1", "Orlé"]] });
});

it("trims spaces and invisible characters from names", async () => {
  const file = await read("\u200bComputer\u00a0Name,Tag\u200b\r\n\u200e\u00a0PC1\u200b ,\u2060a b\u200f\r\nPC2,c\r\n");
  expect(file.titles).toEqual(["Computer Name", "Tag"]);
  expect(file.rows[0]).toEqual(["PC1", "a b"]);
});

describe("real-world tables", () => {
  it("have their header on line 1 even with a separator at each line end", async () => {
    const file = await read("Computer Name,Asset Tag,Room\nPC-01,A-100,101,\nPC-02,A-200,102,\n");
    expect(file).toMatchObject({ format: { headerRow: 1 }, titles: ["Computer Name", "Asset Tag", "Room"], notes: [] });
    expect(file.rows).toEqual([
      ["PC-01", "A-100", "101"],
      ["PC-02", "A-200", "102"],
    ]);
    expect((await read("Computer Name;Tag\nPC-01;A;;\nPC-02;B;;\n")).rows[0]).toEqual(["PC-01", "A"]);
  });

  it("get a name for a last column with values and no title", async () => {
    const log = (level: string, time: string, text: string) =>
      `${level},20/11/2026 ${time},Service,7036,None,${text}\r\n`;
    const file = await read(
      `Level,Date and Time,Source,Event ID,Task Category\r\n${log("Information", "10:00:00", "It runs.")}${log("Warning", "10:00:05", '"No answer,\r\nnone."')}`,
    );
    expect(file.titles).toEqual(["Level", "Date and Time", "Source", "Event ID", "Task Category", "Column 6"]);
    expect(file.rows.map((cells) => cells[5])).toEqual(["It runs.", "No answer,\r\nnone."]);
  });

  it("lose Excel's text wrapper, in titles too", async () => {
    const { titles, rows } = await read(
      '="Computer Name",Tag,Serial\n="PC-01",="00123","=""00777"""\nPC-02,"=""a""""b""",=1+1\n',
    );
    expect(titles).toEqual(["Computer Name", "Tag", "Serial"]);
    expect(rows).toEqual([
      ["PC-01", "00123", "00777"],
      ["PC-02", 'a"b', "=1+1"],
    ]);
  });

  it.each([
    [
      "quotes after blanks",
      '"Computer Name", "Room", "Notes"\n"PC-01", "101", "left, at the door"\n"PC-02","1", "b"\n',
    ],
    ["single quotes", "'Computer Name','Room','Notes'\n'PC-01','101','left, at the door'\n'PC-02','1','b'\n"],
    ["quotes after tabs", '"Computer Name"\t "Room"\t"Notes"\n"PC-01"\t"101"\t"left, at the door"\nPC-02\t1\tb\n'],
  ])("are read: %s", async (_, text) => {
    expect(await read(text)).toMatchObject({
      titles: ["Computer Name", "Room", "Notes"],
      rows: [
        ["PC-01", "101", "left, at the door"],
        ["PC-02", "1", "b"],
      ],
    });
  });

  it("report rows with an unclosed quote in a cell", async () => {
    const { rows, notes } = await read('Computer Name,Note,Size\nPC-01,"a" b,15" wide\nPC-02,c,d\n');
    expect(rows[0]).toEqual(["PC-01", '"a" b', '15" wide']);
    expect(notes).toEqual([expect.stringMatching(/^1 row has a quote .* \(line 2\)/)]);
  });

  it("report lines above the header, except lines for programs", async () => {
    const { notes } = await read("Inventory,October\nComputer Name,Tag,Room\nPC-01,A,1\nPC-02,B,2\n");
    expect(notes).toEqual(["1 line above the header is left out (line 1)."]);
    expect((await read("sep=;\nComputer Name;Tag\nPC-01;A\n")).notes).toEqual([]);
  });

  it("report numbers that lost digits in Excel", async () => {
    const { notes } = await read("Computer Name,ICCID\nPC-01,8.96529E+19\nPC-02,1E5\n");
    expect(notes).toEqual([expect.stringMatching(/^1 number has more digits .* \(line 2\)/)]);
  });

  it("may contain a control character", async () => {
    expect((await read("Computer Name,Tag\nPC\u001b-01,A\n\u001a")).rows[0]).toEqual(["PC\u001b-01", "A"]);
  });

  it("stay in UTF-8 despite one damaged character", async () => {
    const text = Buffer.from("Computer Name,City\nPC-01,München\nPC-02,Köln\nPC-03,X\n");
    text[text.indexOf("X")] = 0xff;
    expect(await read(text)).toMatchObject({ format: { encoding: "utf-8" }, encodingGuess: null });
  });

  it.for<[string, number[], string, string]>([
    ["Mac Roman", [0x9f], "\r", "macintosh"],
    ["Shift-JIS", [0x93, 0x8c, 0x8b, 0x9e], "\r\n", "windows-1252"],
  ])("report a guessed encoding: %s", async ([, letters, end, encoding]) => {
    const text = Buffer.concat([
      Buffer.from(`Computer Name,City${end}PC-01,M`),
      Buffer.from(letters),
      Buffer.from(end),
    ]);
    expect(await read(text)).toMatchObject({
      format: { encoding },
      encodingGuess: expect.stringContaining(`The encoding is a guess (${encoding}): if “M`),
    });
  });
});

const extra = (id: number, value: string) => ({
  TargetId: String(id),
  ExtraFieldDefinitionId: "7",
  Title: "Asset Tag",
  Section: "General",
  IsReadOnly: false,
  IsEncrypted: false,
  IsDefaultValue: false,
  TextFieldSettings: { Value: value, DefaultValue: "", IsMasked: false },
});
const owner = (id: number) => ({ Id: id, ComputerName: `PC${id}`, ExtraFields: [extra(id, `A${id}`)] });
const found = [
  ["1", "A1"],
  ["2", "A2"],
];

describe("a REST dump of extra fields", () => {
  it.each<[string, string]>([
    ["one list of entries that name their computer", JSON.stringify([extra(1, "A1"), extra(2, "A2")])],
    [
      "fields listed beside their computer",
      JSON.stringify([1, 2].map((id) => ({ Computer: { Id: id }, ExtraFields: owner(id).ExtraFields }))),
    ],
    ["fields that name their computer", JSON.stringify([1, 2].map((id) => ({ ExtraFields: owner(id).ExtraFields })))],
    ["a dump that wraps its list", JSON.stringify({ value: [owner(1), owner(2)] }, null, 2)],
    ["a line per computer", `${JSON.stringify(owner(1))}\n${JSON.stringify(owner(2))}\n`],
    ["a list of pages", JSON.stringify([[extra(1, "A1")], [extra(2, "A2")]])],
    ["concatenated pages", `${JSON.stringify([extra(1, "A1")])}\n${JSON.stringify([extra(2, "A2")])}`],
    ["an envelope", JSON.stringify({ TotalRecords: 2, Page: 1, Data: [owner(1), owner(2)] })],
    [
      "a list of envelopes",
      JSON.stringify([
        { page: 1, computers: [owner(1)] },
        { page: 2, computers: [owner(2)] },
      ]),
    ],
  ])("is read as %s", async (_, text) => {
    const { rows, titles } = await read(text);
    const tag = titles.indexOf("Asset Tag");
    expect(rows.map((cells) => [cells[0], cells[tag]])).toEqual(found);
  });

  it("reports a computer with two values for one title", async () => {
    const { rows } = await read(
      JSON.stringify([{ ...owner(1), ExtraFields: [extra(1, "A1"), extra(1, "B1")] }, owner(2)]),
    );
    expect(rows[0]).toEqual(["line 1 gives a second value for Asset Tag"]);
  });

  it("separates a field from an identifier of the same name", async () => {
    const field = { ...extra(5, "XYZ"), Title: "Serial Number" };
    const named = { Id: 5, ComputerName: "WS5", ExtraFields: [field] };
    for (const [computer, serial] of [
      [{ ...named, SerialNumber: "ABC" }, "ABC"],
      [named, ""],
    ] as const) {
      const { rows, titles } = await read(JSON.stringify([computer]));
      expect(titles).toEqual(["Source device ID", "Hostname", "Organization", "Serial number", "Serial Number (2)"]);
      expect(rows).toEqual([["5", "WS5", "", serial, "XYZ"]]);
    }
    const long = await read("Computer ID,Computer Name,Client,Field,Value\n5,WS5,Contoso,client,Fabrikam\n");
    expect(long.titles).toEqual(["Computer ID", "Computer Name", "Client", "client (2)"]);
    expect(long.rows).toEqual([["5", "WS5", "Contoso", "Fabrikam"]]);
  });

  it("reports members that are no values", async () => {
    const { notes } = await read(JSON.stringify([{ hostname: "PC1", os: { name: "Windows" }, tags: ["a"] }]));
    expect(notes).toEqual([expect.stringMatching(/^1 member is a list .* \(tags of number 1\)/)]);
  });

  it.each([
    ["76561197960287930", "76561197960287930"],
    ["76561197960287931", "76561197960287931"],
    ["12345678901234567890.5", "12345678901234567890.5"],
    ["0.0000001", "0.0000001"],
    ["1.5E-7", "0.00000015"],
    ["1e21", "1000000000000000000000"],
    ["-0.50", "-0.5"],
    ["101.0", "101"],
  ])("keeps all digits of %s, in a list and in lines", async (number, text) => {
    const object = `{"hostname": "PC1", "number": ${number}}`;
    for (const file of [`[${object}]`, `${object}\n${object}\n`]) {
      const { rows } = await read(file);
      expect(rows[0]).toEqual(["PC1", text]);
    }
  });

  it("reads a computer that has a list as a computer", async () => {
    const { rows, notes } = await read(JSON.stringify([{ hostname: "PC1", RAM: 8, items: [{ hostname: "PC2" }] }]));
    expect(rows).toEqual([["PC1", "8", null]]);
    expect(notes).toEqual([expect.stringContaining("(items of number 1)")]);
  });

  it.each(["[]", '[["Computer ID"],["1"]]', '{"total": 0, "data": []}'])(
    "rejects %s because it names no computer or field",
    async (text) => {
      await expect(read(text)).rejects.toThrow(/without a computer or a field/);
    },
  );
});
