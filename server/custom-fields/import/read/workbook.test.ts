import { type BookType, type CellObject, utils, type WorkBook, type WorkSheet, write } from "@e965/xlsx";
import { describe, expect, it } from "vitest";
import { encodeText, openDocument, workbook } from "@/testing/import/files";
import { reader } from "@/testing/import/reader";
import type { SourceCell } from "./read-delimited";
import { shownCell } from "./shown-cell";

const read = reader("automate");

type Cells = (string | number | boolean | CellObject)[][];
const sheetOf = (cells: Cells, over: Partial<WorkSheet> = {}): WorkSheet =>
  Object.assign(utils.aoa_to_sheet(cells), over);

/** A workbook of sheets by name, the `hidden` ones hidden. */
function bookOf(sheets: Record<string, WorkSheet>, bookType: BookType = "xlsx", hidden: string[] = []): Buffer {
  const book: WorkBook = utils.book_new();
  for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name);
  const Sheets = book.SheetNames.map((name) => ({ Hidden: hidden.includes(name) ? (1 as const) : (0 as const) }));
  if (hidden.length > 0) book.Workbook = { Sheets };
  return write(book, { type: "buffer", bookType, cellStyles: true });
}

const LIST: Cells = [
  ["Computer Name", "Asset Tag", "Bought", "Share", "Managed"],
  ["PC-01", { t: "n", v: 7, z: "000000" }, { t: "n", v: 45292, z: "dd/mm/yyyy" }, { t: "n", v: 0.125, z: "0%" }, true],
];
const READ = [["PC-01", "000007", "2024-01-01", "12.5%", "true"]];
const RAM: Cells = [
  ["Computer Name", "RAM"],
  ["PC-01", 8],
];
const ROOMS: Cells = [
  ["Computer Name", "Old", "Room"],
  ["PC-01", "a", "1"],
  ["PC-02", "b", "2"],
];

describe("a workbook", () => {
  it.each<BookType>(["xlsx", "xlsm", "xlsb", "biff8", "biff5", "ods"])("is read as %s", async (type) => {
    const { titles, rows } = await read(bookOf({ Computers: sheetOf(LIST) }, type));
    expect(titles).toEqual(["Computer Name", "Asset Tag", "Bought", "Share", "Managed"]);
    expect(rows).toEqual(READ);
  });

  it("of Excel 2 is read", async () => {
    expect((await read(bookOf({ Computers: sheetOf(RAM) }, "biff2"))).rows).toEqual([["PC-01", "8"]]);
  });

  it("reports numbers that lost digits and keeps the others", async () => {
    const numbers = sheetOf([
      ["Computer Name", "ICCID"],
      ["PC-01", 8939010102358480000],
      ["PC-02", 893901010235848],
    ]);
    const { rows, notes } = await read(bookOf({ One: numbers }));
    expect(rows[1]?.[1]).toBe("893901010235848");
    expect(notes).toEqual([expect.stringMatching(/^1 number has more digits .* lost in the file \(B2\)/)]);
  });

  it("omits hidden rows and columns with a note, unless selected", async () => {
    const hidden = [{}, { hidden: true }];
    const file = bookOf({ One: sheetOf(ROOMS, { "!rows": hidden, "!cols": hidden }) });
    expect(await read(file)).toMatchObject({
      titles: ["Computer Name", "Room"],
      rows: [["PC-02", "2"]],
      notes: ["1 hidden column is left out (column B).", "1 hidden or filtered row is left out (row 2)."],
    });
    const all = await read(file, { withHidden: true });
    expect(all).toMatchObject({ titles: ["Computer Name", "Old", "Room"], notes: [] });
    expect(all.rows).toHaveLength(2);
  });

  it("is read with every row hidden, without a column of zero width", async () => {
    const widths = [{ width: 12 }, { width: 0 }, { width: 12 }];
    const file = bookOf(
      { One: sheetOf(ROOMS, { "!rows": Array(3).fill({ hidden: true }), "!cols": widths }) },
      "biff8",
    );
    expect(await read(file)).toMatchObject({
      titles: ["Computer Name", "Room"],
      rows: [
        ["PC-01", "1"],
        ["PC-02", "2"],
      ],
    });
  });

  it("does not report errors in hidden columns", async () => {
    const cells: Cells = [
      ["Computer Name", "Sum"],
      ["PC-01", { t: "e", v: 0x2a }],
    ];
    const file = bookOf({ One: sheetOf(cells, { "!cols": [{}, { hidden: true }] }) });
    expect((await read(file)).notes).toEqual(["1 hidden column is left out (column B)."]);
  });

  it("reports lines above the header and blank cells of merged ranges", async () => {
    const cells = [["Inventory of October"], [], ...LIST];
    const { format, notes } = await read(bookOf({ One: sheetOf(cells, { "!merges": [utils.decode_range("A1:C1")] }) }));
    expect(format.headerRow).toBe(2);
    expect(notes).toEqual([
      expect.stringMatching(/^1 merged range: .*\(A1:C1\)/),
      "1 line above the header is left out (line 1).",
    ]);
  });

  it("uses the visible sheet with computers, or a hidden one if the others are blank", async () => {
    const first = await read(bookOf({ Old: sheetOf(LIST), New: sheetOf(LIST) }, "xlsx", ["Old"]));
    expect(first).toMatchObject({ format: { sheet: "New" }, notes: [] });
    const only = await read(bookOf({ Cover: sheetOf([]), Data: sheetOf(LIST) }, "xlsx", ["Data"]));
    expect(only).toMatchObject({ format: { sheet: "Data" }, rows: READ });
    expect(only.notes).toEqual([expect.stringMatching(/hidden sheet is read.*\(Data\)/)]);
  });

  it("reports password protection of an OpenDocument file", async () => {
    const encrypted =
      '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>';
    await expect(read(openDocument("", "", encrypted))).rejects.toThrow(/is protected with a password/);
  });

  it("omits hidden sheets, rows and columns of OpenDocument files, even without styles", async () => {
    const row = (attributes: string, ...texts: string[]) =>
      `<table:table-row${attributes}>${texts
        .map((text) => `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`)
        .join("")}</table:table-row>`;
    const rows = [
      '<table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/>',
      row("", "Computer Name", "Old", "Older", "Room"),
      row(' table:visibility="filter" table:number-rows-repeated="3"', "PC-01", "a", "b", "1"),
      row("", "PC-02", "a", "b", "2"),
    ].join("");
    const tables = ["Old", "New"].map(
      (name) => `<table:table table:name="${name}" table:style-name="of ${name}">${rows}</table:table>`,
    );
    const styles =
      '<office:automatic-styles><style:style style:name="of Old" style:family="table"><style:table-properties table:display="false"/></style:style></office:automatic-styles>';
    expect(await read(openDocument(tables.join(""), styles))).toMatchObject({
      format: { sheet: "New" },
      titles: ["Computer Name", "Room"],
      rows: [["PC-02", "2"]],
      notes: [
        "2 hidden columns are left out (column B, column C).",
        "3 hidden or filtered rows are left out (row 2, row 3, row 4).",
      ],
    });
  });
});

describe("an old workbook", () => {
  it("of Excel 95 is read in its country's code page", async () => {
    const file = bookOf({ One: sheetOf([...RAM.slice(0, 1), ["PC-01", "Depot"]]) }, "biff5").toString("latin1");
    const cyrillic = file.replace("B\0\x02\0\xe4\x04", "B\0\x02\0\xe3\x04").replace("Depot", "\xd1\xea\xeb\xe0\xe4");
    expect((await read(Buffer.from(cyrillic, "latin1"))).rows).toEqual([["PC-01", "Склад"]]);
  });

  const numbers = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer);
  const label = (row: number, column: number, text: string) =>
    Buffer.concat([numbers(0x204, 8 + text.length, row, column, 0, text.length), Buffer.from(text, "latin1")]);
  it("is read without the compound file, as PHP scripts write it", async () => {
    const ram = Buffer.concat([numbers(0x203, 14, 1, 1, 0), Buffer.from(Float64Array.of(8).buffer)]);
    const [start, end] = [numbers(0x809, 8, 0, 0x10, 0, 0), numbers(0x0a, 0)];
    const cells = [label(0, 0, "Computer Name"), label(0, 1, "RAM"), label(1, 0, "PC-01"), ram];
    const { titles, rows } = await read(Buffer.concat([start, ...cells, end]));
    expect({ titles, rows }).toEqual({ titles: ["Computer Name", "RAM"], rows: [["PC-01", "8"]] });
  });

  it("is read with a wrong sheet offset", async () => {
    const file = bookOf({ Computers: sheetOf(LIST) }, "biff8");
    const place = file.indexOf(Buffer.from("Computers", "utf16le")) - 8;
    file.writeUInt32LE(file.readUInt32LE(place) + 20, place);
    expect(await read(file)).toMatchObject({ format: { sheet: "Computers" }, rows: READ });
  });
});

describe("the XML of a workbook", () => {
  const HEADER = '<row r="1"><c t="str"><v>Computer Name</v></c><c t="str"><v>RAM</v></c></row>';
  const sheetXml = (rows: string, head = '<?xml version="1.0"?>') =>
    `${head}<worksheet><sheetData>${HEADER}${rows}</sheetData></worksheet>`;
  const SHEET = "xl/worksheets/sheet1.xml";
  const styled = (formats: string, xfs: string, rows: string) => ({
    "xl/styles.xml": `<styleSheet><numFmts>${formats}</numFmts><fills><fill/></fills><cellXfs>${xfs}</cellXfs></styleSheet>`,
    [SHEET]: sheetXml(rows),
  });
  const pc = (row: number) => `<c r="A${row}" t="str"><v>PC-0${row - 1}</v></c>`;

  it.for<[string, Record<string, string>, SourceCell[][], string[]?]>([
    [
      "errors and formulas without results, unlike blank cells",
      {
        [SHEET]: sheetXml(
          `<row r="2">${pc(2)}<c r="B2"><f>1+1</f></c></row><row r="3">${pc(3)}<c r="B3" t="e"><v>#N/A</v></c></row><row r="4">${pc(4)}<c r="B4"><f>0</f><v>0</v></c></row><row r="5">${pc(5)}<c r="B5" s="0"/></row>`,
        ),
      },
      [
        ["PC-01", null],
        ["PC-02", null],
        ["PC-03", "0"],
        ["PC-04", ""],
      ],
      [
        "1 formula has no stored result and is read as no value (B2).",
        "1 cell holds an error such as #N/A and is read as no value (B3).",
      ],
    ],
    [
      "typed cells without a value and formulas without one",
      {
        [SHEET]: sheetXml(
          `<row r="2">${pc(2)}<c r="B2" t="b"/></row><row r="3">${pc(3)}<c r="B3" t="str"><f>A1&amp;A2</f></c></row><row r="4">${pc(4)}<c r="B4" t="str"><f>A1</f><v></v></c></row>`,
        ),
      },
      [
        ["PC-01", ""],
        ["PC-02", null],
        ["PC-03", ""],
      ],
      ["1 formula has no stored result and is read as no value (B3)."],
    ],
    [
      "rich text, escapes and phonetics, and rows in any order",
      {
        [SHEET]: sheetXml(
          '<row r="3"><c r="A3" t="inlineStr"><is><r><t>PC</t></r><r><t xml:space="preserve">-02</t></r></is></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></is></c><c r="B2" t="str"><v>a_x000A_b</v></c></row>',
        ),
      },
      [
        ["東京", "a\nb"],
        ["PC-02", ""],
      ],
    ],
    [
      "blank shared strings and rich text",
      {
        "xl/sharedStrings.xml":
          '<sst><si><t>one</t></si><si/><si><t xml:space="preserve">PC</t><r><rPr><b/></rPr><t>-01</t></r></si><si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si></sst>',
        [SHEET]: sheetXml(
          '<row><c t="s"><v>2</v></c><c t="s"><v>1</v></c></row><row><c t="inlineStr"><is><t>PC</t><r><t>-02</t></r></is></c><c t="s"><v>3</v></c></row>',
        ),
      },
      [
        ["PC-01", ""],
        ["PC-02", "東京"],
      ],
    ],
    [
      "a duration in a strict file",
      styled(
        '<numFmt numFmtId="164" formatCode="[h]:mm"/>',
        '<xf numFmtId="0"/><xf numFmtId="164" fillId="0"/>',
        `<row r="2">${pc(2)}<c r="B2" s="1" t="d"><v>PT25H30M0.000S</v></c></row>`,
      ),
      [["PC-01", "25:30"]],
    ],
    [
      "East Asian date and time formats",
      styled(
        "",
        [0, 58, 32].map((id) => `<xf numFmtId="${id}" fillId="0"/>`).join(""),
        '<row r="2"><c r="A2" s="1"><v>45292.5</v></c><c r="B2" s="2"><v>0.5</v></c></row>',
      ),
      [["2024-01-01", "12:00"]],
    ],
    [
      "dates if the file redefines the general format",
      styled(
        '<numFmt numFmtId="0" formatCode="dd\\.mm\\.yyyy"/>',
        '<xf numFmtId="49" fillId="0"/><xf numFmtId="0" fillId="0"/>',
        `<row r="2">${pc(2)}<c r="B2" s="1"><v>45292</v></c></row>`,
      ),
      [["PC-01", "2024-01-01"]],
    ],
    [
      "numeric character references",
      { [SHEET]: sheetXml('<row r="2"><c r="A2" t="str"><v>&#128540;&#x1F61C;&#228;</v></c></row>') },
      [["😜😜ä", ""]],
    ],
    [
      "lowercase cell references",
      { [SHEET]: sheetXml('<row r="2"><c r="a2" t="str"><v>PC-01</v></c><c r="b2"><v>8</v></c></row>') },
      [["PC-01", "8"]],
    ],
    [
      "a sheet beside one without a part",
      {
        "xl/workbook.xml":
          '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets><sheet name="Macros" sheetId="1" r:id=""/><sheet name="Computers" sheetId="2" r:id="rId1"/></sheets></workbook>',
        [SHEET]: sheetXml(`<row r="2">${pc(2)}</row>`),
      },
      [["PC-01", ""]],
    ],
  ])("is read: %s", async ([, parts, rows, notes = []]) => {
    const found = await read(workbook(parts));
    expect(found.sheets).toHaveLength(1);
    expect(found.titles).toEqual(["Computer Name", "RAM"]);
    expect({ rows: found.rows, notes: found.notes }).toEqual({ rows, notes });
  });

  it("is read beside an empty preview", async () => {
    const preview = "docProps/thumbnail.wmf";
    const file = workbook({ [preview]: "", [SHEET]: sheetXml("") });
    const start = file.indexOf(preview);
    file.fill(0xff, start + preview.length, start + preview.length + file.readUInt32LE(start - 12));
    for (const sizes of [start - 12, file.lastIndexOf(preview) - 26]) file.writeUInt32LE(0, sizes);
    expect((await read(file)).titles).toEqual(["Computer Name", "RAM"]);
  });

  it.each<[string, Buffer]>([
    [
      "with backslashes in part names",
      Buffer.from(
        workbook({ [SHEET]: sheetXml("") })
          .toString("latin1")
          .replaceAll("xl/worksheets/sheet1", "xl\\worksheets\\sheet1"),
        "latin1",
      ),
    ],
    ...["utf-16le", "utf-16be"].map((encoding): [string, Buffer] => [
      `in ${encoding}`,
      workbook({ [SHEET]: encodeText(sheetXml("", ""), { encoding, bom: true }) }),
    ]),
  ])("is read %s", async (_, file) => expect((await read(file)).titles).toEqual(["Computer Name", "RAM"]));
});

/** Serial numbers, formats and texts as Excel shows them; those of 1904 as on the first Macintosh. */
it.for<[number, string, string, boolean?]>([
  [45292, "yyyy-mm-dd", "2024-01-01"],
  [45292.6041666667, "yyyy-mm-dd hh:mm", "2024-01-01T14:30:00"],
  [45292.6041666667, "yyyy-mm-dd", "2024-01-01"],
  [43830, "dd/mm/yyyy", "2024-01-01", true],
  [1, "dd/mm/yyyy", "1900-01-01"],
  [0, "dd/mm/yyyy", ""],
  [-1, "dd/mm/yyyy", ""],
  [0, "dd/mm/yyyy", "1904-01-01", true],
  [59, "dd/mm/yyyy", "1900-02-28"],
  [60, "dd/mm/yyyy", "1900-02-29"],
  [61, "dd/mm/yyyy", "1900-03-01"],
  [0.302083333333333, "hh:mm", "07:15"],
  [0.302083333333333, "h:mm:ss AM/PM", "07:15", true],
  [0.5000115740740741, "hh:mm:ss", "12:00:01"],
  [1.25, "[h]:mm", "30:00"],
  [0.5, "[=0]?;[<4.16666666666667][hh]:mm:ss;[hh]:mm", "12:00"],
  [1.25, "[$-409][hh]:mm:ss", "30:00"],
  [45292, "mmm", "2024-01-01"],
  [7, '"day" 0', "7"],
  [1234567890123456, "General", "1234567890123460"],
  [0.30000000000000004, "General", "0.3"],
  [1.5e-7, "General", "0.00000015"],
  [1e25, "General", "10000000000000000000000000"],
  [7, "000000", "000007"],
  [1234567, "000000", "1234567"],
  [123, "000-00", "001-23"],
  [42, '"PC-"0000', "PC-0042"],
  [5551234567, "(000) 000-0000", "(555) 123-4567"],
  [1.5, "00000", "1.5"],
  [1234, "#,##0", "1234"],
  [1.5, "0.00", "1.5"],
  [0.5, "0%", "50%"],
  [0.125, "0%", "12.5%"],
  [1.5, "# ?/?", "1 1/2"],
  [0.33, "# ?/?", "0.33"],
  [-3, "0000", "-3"],
  [1234.5, "#,##0 ?/?", "1234.5"],
])("formats %s with %s as %s", ([v, z, text, from1904 = false]) => {
  expect(shownCell({ t: "n", v, z }, from1904)).toBe(text);
});
