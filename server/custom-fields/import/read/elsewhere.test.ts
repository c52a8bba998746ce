import { describe, expect, it } from "vitest";
import { encodeText } from "@/testing/import/files";
import { reader } from "@/testing/import/reader";

/** Files as other programs write them, taken from their output and made anonymous. */

const read = reader("automate");

/** lines: cells of each row between pipes. */
type Expected = Partial<Awaited<ReturnType<typeof read>> & { lines: string[] }>;
const western = (text: string) => encodeText(text, { encoding: "windows-1252" });
const marked = (text: string, encoding: string) => encodeText(text, { encoding, bom: true });
const TITLES = '"Computer ID","Computer Name","Role"\r\n';

/** UTF-8 with one byte that is none of it. */
function damaged(): Buffer {
  const text = Buffer.from("Computer Name,City\nPC-01,München\nPC-02,Köln\nPC-03,X\n");
  text[text.indexOf("X")] = 0xff;
  return text;
}

const LOG = [
  "Level,Date and Time,Source,Event ID,Task Category",
  "Information,20/11/2026 10:00:00,Service,7036,None,It runs.",
  'Warning,20/11/2026 10:00:05,Service,7036,None,"No answer,\r\nnone."\r\n',
].join("\r\n");

it.for<[string, string | Buffer, Expected]>([
  [
    "PowerShell's Export-Csv: type line, quotes, UTF-16, semicolons",
    marked(
      '#TYPE System.Management.Automation.PSCustomObject\r\n"Computer ID";"Asset Tag"\r\n"1";"A;1"\r\n"2";"A""2"\r\n"3";"000007"\r\n',
      "utf-16le",
    ),
    { titles: ["Computer ID", "Asset Tag"], lines: ["1|A;1", '2|A"2', "3|000007"], notes: [] },
  ],
  [
    "two header rows",
    "Machine,,Purchase,\r\nComputer ID,Computer Name,Bought,Price\r\n1,PC1,31/12/2024,5\r\n",
    { titles: ["Computer ID", "Computer Name", "Bought", "Price"], lines: ["1|PC1|31/12/2024|5"] },
  ],
  [
    "columns after blank ones",
    ",,Computer ID,Computer Name\r\n,,1,PC1\r\n,,2,PC2\r\n",
    { titles: ["Column 1", "Column 2", "Computer ID", "Computer Name"], lines: ["||1|PC1", "||2|PC2"] },
  ],
  [
    "a table that starts with PK and is no archive",
    "PK,Computer Name\r\n1,PC1\r\n2,PC2\r\n",
    { lines: ["1|PC1", "2|PC2"] },
  ],
  [
    "a second byte order mark",
    marked(`\ufeff${TITLES}"1","PC1","DC"\r\n`, "utf-8"),
    { titles: ["Computer ID", "Computer Name", "Role"] },
  ],
  [
    "repeated headers of joined files, which are reported",
    `\ufeff${TITLES}1,PC1,DC\r\n\ufeff${TITLES}2,PC2,File\r\n`,
    { lines: ["1|PC1|DC", "2|PC2|File"], notes: ["1 row repeats the header and is left out (line 3)."] },
  ],
  [
    "formula errors, which are no values and reported",
    "Computer Name,RAM,Notes\r\nPC1,#N/A,#1 machine\r\nPC2,8,#NV\r\nPC3,Err:502,#WERT!\r\n",
    {
      lines: ["PC1|null|#1 machine", "PC2|8|null", "PC3|null|null"],
      notes: ["4 cells hold an error such as #N/A and are read as no value (line 2, line 3, line 4, line 4)."],
    },
  ],
  [
    "text that is not in the encoding of its byte order mark, which is reported",
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), western("Computer Name,City\r\nPC1,München\r\n")]),
    { notes: [expect.stringMatching(/^1 value holds .* not understood: another encoding .* \(line 2\)/)] },
  ],
  [
    "Windows-1252 whose last byte could start a UTF-8 sequence",
    western("Computer Name,City\r\nPC1,Orlé"),
    { format: expect.objectContaining({ encoding: "windows-1252" }), lines: ["PC1|Orlé"] },
  ],
  [
    "UTF-8 despite one damaged character",
    damaged(),
    { format: expect.objectContaining({ encoding: "utf-8" }), encodingGuess: null },
  ],
  [
    "names between spaces and invisible characters",
    "\u200bComputer\u00a0Name,Tag\u200b\r\n\u200e\u00a0PC1\u200b ,\u2060a b\u200f\r\nPC2,c\r\n",
    { titles: ["Computer Name", "Tag"], lines: ["PC1|a b", "PC2|c"] },
  ],
  [
    "a separator at each line's end",
    "Computer Name,Asset Tag,Room\nPC-01,A-100,101,\nPC-02,A-200,102,\n",
    { titles: ["Computer Name", "Asset Tag", "Room"], lines: ["PC-01|A-100|101", "PC-02|A-200|102"], notes: [] },
  ],
  ["two separators at each line's end", "Computer Name;Tag\nPC-01;A;;\nPC-02;B;;\n", { lines: ["PC-01|A", "PC-02|B"] }],
  [
    "a last column with values and no title",
    LOG,
    {
      titles: ["Level", "Date and Time", "Source", "Event ID", "Task Category", "Column 6"],
      lines: [
        "Information|20/11/2026 10:00:00|Service|7036|None|It runs.",
        "Warning|20/11/2026 10:00:05|Service|7036|None|No answer,\r\nnone.",
      ],
    },
  ],
  [
    "Excel's text wrapper, in titles too",
    '="Computer Name",Tag,Serial\n="PC-01",="00123","=""00777"""\nPC-02,"=""a""""b""",=1+1\n',
    { titles: ["Computer Name", "Tag", "Serial"], lines: ["PC-01|00123|00777", 'PC-02|a"b|=1+1'] },
  ],
  [
    "an unclosed quote in a cell, which is reported",
    'Computer Name,Note,Size\nPC-01,"a" b,15" wide\nPC-02,c,d\n',
    {
      lines: ['PC-01|"a" b|15" wide', "PC-02|c|d"],
      notes: [expect.stringMatching(/^1 row has a quote .* \(line 2\)/)],
    },
  ],
  [
    "lines above the header, which are reported",
    "Inventory,October\nComputer Name,Tag,Room\nPC-01,A,1\nPC-02,B,2\n",
    { notes: ["1 line above the header is left out (line 1)."] },
  ],
  ["a line for programs above the header", "sep=;\nComputer Name;Tag\nPC-01;A\n", { lines: ["PC-01|A"], notes: [] }],
  [
    "numbers that lost digits in Excel, which are reported",
    "Computer Name,ICCID\nPC-01,8.96529E+19\nPC-02,1E5\n",
    { notes: [expect.stringMatching(/^1 number has more digits .* \(line 2\)/)] },
  ],
  ["control characters", "Computer Name,Tag\nPC\u001b-01,A\n\u001a", { lines: ["PC\u001b-01|A", expect.anything()] }],
  ...[
    '"Computer Name", "Room", "Notes"\n"PC-01", "101", "left, at the door"\n"PC-02","1", "b"\n',
    "'Computer Name','Room','Notes'\n'PC-01','101','left, at the door'\n'PC-02','1','b'\n",
    '"Computer Name"\t "Room"\t"Notes"\n"PC-01"\t"101"\t"left, at the door"\nPC-02\t1\tb\n',
  ].map((text): [string, string, Expected] => [
    `quotes as in ${JSON.stringify(text.slice(0, 24))}`,
    text,
    { titles: ["Computer Name", "Room", "Notes"], lines: ["PC-01|101|left, at the door", "PC-02|1|b"] },
  ]),
])("a table is read with %s", async ([, content, expected]) => {
  const found = await read(content);
  expect({ ...found, lines: found.rows.map((cells) => cells.map(String).join("|")) }).toMatchObject(expected);
});

it.for<[string, number[], string, string]>([
  ["Mac Roman", [0x9f], "\r", "macintosh"],
  ["Shift-JIS", [0x93, 0x8c, 0x8b, 0x9e], "\r\n", "windows-1252"],
])("an encoding that is a guess is reported: %s", async ([, letters, end, encoding]) => {
  const start = Buffer.from(`Computer Name,City${end}PC-01,M`);
  expect(await read(Buffer.concat([start, Buffer.from(letters), Buffer.from(end)]))).toMatchObject({
    format: { encoding },
    encodingGuess: expect.stringContaining(`The encoding is a guess (${encoding}): if “M`),
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
