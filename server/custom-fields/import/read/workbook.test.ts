import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BookType, type CellObject, utils, type WorkBook, type WorkSheet, write } from "@e965/xlsx";
import { describe, expect, it } from "vitest";
import { presetOf } from "@/server/custom-fields/import/presets";
import { encodeText, toZip } from "@/testing/import/files";
import { workbook } from "@/testing/import/slow-files";
import { tempFolder } from "@/testing/temp-folder";
import { detect } from "./detect-format";
import type { FormatChange } from "./file-schema";
import { createNotes } from "./notes";
import type { SourceCell } from "./read-delimited";
import { readSource } from "./read-file";
import { shownCell } from "./shown-cell";

const automate = presetOf("automate");

const folder = tempFolder();

async function read(content: Buffer, over: FormatChange = {}) {
  const path = join(folder, "file");
  writeFileSync(path, content);
  const { format, sheets } = await detect(path, automate);
  const notes = createNotes();
  const { columns, records } = readSource(path, { format: { ...format, ...over }, preset: automate, notes });
  const rows: SourceCell[][] = [];
  for await (const { cells } of records) rows.push(cells);
  return { format, sheets, titles: columns.titles, rows, notes: notes.toTexts() };
}

type Cells = (string | number | boolean | CellObject)[][];
const sheetOf = (cells: Cells): WorkSheet => utils.aoa_to_sheet(cells);

function bookOf(sheets: Record<string, WorkSheet>, over: Partial<WorkBook> = {}): WorkBook {
  const book = utils.book_new();
  for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name);
  return Object.assign(book, over);
}
const bytesOf = (book: WorkBook, bookType: BookType = "xlsx"): Buffer =>
  write(book, { type: "buffer", bookType, cellStyles: true });

const LIST: Cells = [
  ["Computer Name", "Asset Tag", "Bought", "Share", "Managed"],
  ["PC-01", { t: "n", v: 7, z: "000000" }, { t: "n", v: 45292, z: "dd/mm/yyyy" }, { t: "n", v: 0.125, z: "0%" }, true],
];
const READ = [["PC-01", "000007", "2024-01-01", "12.5%", "true"]];

describe("a workbook", () => {
  it.each<BookType>(["xlsx", "xlsm", "xlsb", "biff8", "biff5", "ods"])("is read as %s", async (type) => {
    const { titles, rows } = await read(bytesOf(bookOf({ Computers: sheetOf(LIST) }), type));
    expect(titles).toEqual(["Computer Name", "Asset Tag", "Bought", "Share", "Managed"]);
    expect(rows).toEqual(READ);
  });

  it("reports numbers that lost digits and keeps the others", async () => {
    const { rows, notes } = await read(
      bytesOf(
        bookOf({
          One: sheetOf([
            ["Computer Name", "ICCID"],
            ["PC-01", 8939010102358480000],
            ["PC-02", 893901010235848],
          ]),
        }),
      ),
    );
    expect(rows[1]?.[1]).toBe("893901010235848");
    expect(notes).toEqual([expect.stringMatching(/^1 number has more digits .* lost in the file \(B2\)/)]);
  });

  const withHidden = () => {
    const sheet = sheetOf([
      ["Computer Name", "Old", "Room"],
      ["PC-01", "a", "1"],
      ["PC-02", "b", "2"],
    ]);
    sheet["!rows"] = [{}, { hidden: true }];
    sheet["!cols"] = [{}, { hidden: true }];
    return bytesOf(bookOf({ One: sheet }));
  };
  it("omits hidden rows and columns with a note, unless selected", async () => {
    expect(await read(withHidden())).toMatchObject({
      titles: ["Computer Name", "Room"],
      rows: [["PC-02", "2"]],
      notes: ["1 hidden column is left out (column B).", "1 hidden or filtered row is left out (row 2)."],
    });
    const all = await read(withHidden(), { withHidden: true });
    expect(all).toMatchObject({ titles: ["Computer Name", "Old", "Room"], notes: [] });
    expect(all.rows).toHaveLength(2);
  });

  it("uses the visible sheet with computers, or a hidden one if the others are blank", async () => {
    const list = () => sheetOf(LIST);
    const hidden = (...flags: (0 | 1)[]) => ({ Workbook: { Sheets: flags.map((Hidden) => ({ Hidden })) } });
    const first = await read(bytesOf(bookOf({ Old: list(), New: list() }, hidden(1, 0))));
    expect(first).toMatchObject({ format: { sheet: "New" }, notes: [] });
    const only = await read(bytesOf(bookOf({ Cover: sheetOf([]), Data: list() }, hidden(0, 1))));
    expect(only).toMatchObject({ format: { sheet: "Data" }, rows: READ });
    expect(only.notes).toEqual([expect.stringMatching(/hidden sheet is read.*\(Data\)/)]);
  });

  it("reports password protection of an OpenDocument file", async () => {
    const file = toZip({
      mimetype: "application/vnd.oasis.opendocument.spreadsheet",
      "content.xml": Buffer.from("5ea1ed".repeat(20), "hex"),
      "META-INF/manifest.xml":
        '<manifest:manifest><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
    });
    await expect(read(file)).rejects.toThrow(/is protected with a password/);
  });

  const openDocument = (rows: string) =>
    toZip({
      mimetype: "application/vnd.oasis.opendocument.spreadsheet",
      "META-INF/manifest.xml": "<manifest:manifest/>",
      "content.xml": `<office:document-content><office:automatic-styles><style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style></office:automatic-styles><office:body><office:spreadsheet><table:table table:name="Old" table:style-name="ta2">${rows}</table:table><table:table table:name="New">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
    });
  const texts = (...cells: string[]) =>
    cells
      .map((text) => `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`)
      .join("");
  it("reads Excel 2 files", async () => {
    const book = bookOf({
      Computers: sheetOf([
        ["Computer Name", "RAM"],
        ["PC-01", 8],
      ]),
    });
    expect(await read(bytesOf(book, "biff2"))).toMatchObject({ rows: [["PC-01", "8"]] });
  });

  it("reads Excel 95 files in their country's code page", async () => {
    const book = bookOf({
      One: sheetOf([
        ["Computer Name", "Room"],
        ["PC-01", "Depot"],
      ]),
    });
    const file = bytesOf(book, "biff5").toString("latin1");
    const cyrillic = file.replace("B\0\x02\0\xe4\x04", "B\0\x02\0\xe3\x04").replace("Depot", "\xd1\xea\xeb\xe0\xe4");
    expect((await read(Buffer.from(cyrillic, "latin1"))).rows).toEqual([["PC-01", "Склад"]]);
  });

  const numbers = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer);
  const label = (row: number, column: number, text: string) =>
    Buffer.concat([numbers(0x204, 8 + text.length, row, column, 0, text.length), Buffer.from(text, "latin1")]);
  it("reads PHP-generated workbooks without the compound file", async () => {
    const ram = Buffer.concat([numbers(0x203, 14, 1, 1, 0), Buffer.from(Float64Array.of(8).buffer)]);
    const [start, end] = [numbers(0x809, 8, 0, 0x10, 0, 0), numbers(0x0a, 0)];
    const cells = [label(0, 0, "Computer Name"), label(0, 1, "RAM"), label(1, 0, "PC-01"), ram];
    expect(await read(Buffer.concat([start, ...cells, end]))).toMatchObject({
      titles: ["Computer Name", "RAM"],
      rows: [["PC-01", "8"]],
    });
  });

  it("reads an old workbook with a wrong sheet offset", async () => {
    const file = bytesOf(bookOf({ Computers: sheetOf(LIST) }), "biff8");
    const place = file.indexOf(Buffer.from("Computers", "utf16le")) - 8;
    file.writeUInt32LE(file.readUInt32LE(place) + 20, place);
    expect(await read(file)).toMatchObject({ format: { sheet: "Computers" }, rows: READ });
  });

  it("omits hidden sheets, rows and columns of OpenDocument files, even without styles", async () => {
    const rows = `<table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/><table:table-row>${texts("Computer Name", "Old", "Older", "Room")}</table:table-row><table:table-row table:visibility="filter" table:number-rows-repeated="3">${texts("PC-01", "a", "b", "1")}</table:table-row><table:table-row>${texts("PC-02", "a", "b", "2")}</table:table-row>`;
    const found = await read(openDocument(rows));
    expect(found).toMatchObject({
      format: { sheet: "New" },
      titles: ["Computer Name", "Room"],
      rows: [["PC-02", "2"]],
    });
    expect(found.notes).toEqual([
      "2 hidden columns are left out (column B, column C).",
      "3 hidden or filtered rows are left out (row 2, row 3, row 4).",
    ]);
  });

  it("reads a sheet with every row hidden", async () => {
    const sheet = sheetOf(LIST);
    sheet["!rows"] = [{ hidden: true }, { hidden: true }];
    expect((await read(bytesOf(bookOf({ One: sheet })))).rows).toEqual(READ);
  });

  it("omits a column of zero width", async () => {
    const sheet = sheetOf([
      ["Computer Name", "Old"],
      ["PC-01", "a"],
    ]);
    sheet["!cols"] = [{ width: 12 }, { width: 0 }];
    expect((await read(bytesOf(bookOf({ One: sheet }), "biff8"))).titles).toEqual(["Computer Name"]);
  });

  it("does not report errors in hidden columns", async () => {
    const sheet = sheetOf([
      ["Computer Name", "Sum"],
      ["PC-01", { t: "e", v: 0x2a }],
    ]);
    sheet["!cols"] = [{}, { hidden: true }];
    expect((await read(bytesOf(bookOf({ One: sheet })))).notes).toEqual(["1 hidden column is left out (column B)."]);
  });

  it("reports lines above the header and blank cells of merged ranges", async () => {
    const sheet = sheetOf([["Inventory of October"], [], ...LIST]);
    sheet["!merges"] = [utils.decode_range("A1:C1")];
    const { format, notes } = await read(bytesOf(bookOf({ One: sheet })));
    expect(format.headerRow).toBe(2);
    expect(notes).toEqual([
      expect.stringMatching(/^1 merged range: .*\(A1:C1\)/),
      "1 line above the header is left out (line 1).",
    ]);
  });

  const sheetXml = (rows: string, head = '<?xml version="1.0"?>') =>
    `${head}<worksheet><sheetData><row r="1"><c t="str"><v>Computer Name</v></c><c t="str"><v>RAM</v></c></row>${rows}</sheetData></worksheet>`;
  const readXml = (rows: string) => read(workbook({ "xl/worksheets/sheet1.xml": sheetXml(rows) }));

  it("distinguishes errors and formulas without results from blank cells", async () => {
    const { rows, notes } = await readXml(
      '<row r="2"><c r="A2" t="str"><v>PC-01</v></c><c r="B2"><f>1+1</f></c></row><row r="3"><c r="A3" t="str"><v>PC-02</v></c><c r="B3" t="e"><v>#N/A</v></c></row><row r="4"><c r="A4" t="str"><v>PC-03</v></c><c r="B4"><f>0</f><v>0</v></c></row><row r="5"><c r="A5" t="str"><v>PC-04</v></c><c r="B5" s="0"/></row>',
    );
    expect(rows.map((cells) => cells[1])).toEqual([null, null, "0", ""]);
    expect(notes).toEqual([
      "1 formula has no stored result and is read as no value (B2).",
      "1 cell holds an error such as #N/A and is read as no value (B3).",
    ]);
  });

  it("reads rich text, escapes and phonetics, and rows in any order", async () => {
    const { rows } = await readXml(
      '<row r="3"><c r="A3" t="inlineStr"><is><r><t>PC</t></r><r><t xml:space="preserve">-02</t></r></is></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></is></c><c r="B2" t="str"><v>a_x000A_b</v></c></row>',
    );
    expect(rows).toEqual([
      ["東京", "a\nb"],
      ["PC-02", ""],
    ]);
  });

  it("counts blank shared strings and keeps rich text", async () => {
    const { titles, rows } = await read(
      workbook({
        "xl/sharedStrings.xml":
          '<sst><si><t>Computer Name</t></si><si/><si><t xml:space="preserve">PC</t><r><rPr><b/></rPr><t>-01</t></r></si><si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si></sst>',
        "xl/worksheets/sheet1.xml":
          '<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="str"><v>Room</v></c></row><row><c t="s"><v>2</v></c><c t="s"><v>1</v></c></row><row><c t="inlineStr"><is><t>PC</t><r><t>-02</t></r></is></c><c t="s"><v>3</v></c></row></sheetData></worksheet>',
      }),
    );
    expect(titles).toEqual(["Computer Name", "Room"]);
    expect(rows).toEqual([
      ["PC-01", ""],
      ["PC-02", "東京"],
    ]);
  });

  it("reads a cell without a value as blank and a formula without one as missing", async () => {
    const { rows, notes } = await readXml(
      '<row r="2"><c r="A2" t="str"><v>PC-01</v></c><c r="B2" t="b"/></row><row r="3"><c r="A3" t="str"><v>PC-02</v></c><c r="B3" t="str"><f>A1&amp;A2</f></c></row><row r="4"><c r="A4" t="str"><v>PC-03</v></c><c r="B4" t="str"><f>A1</f><v></v></c></row>',
    );
    expect(rows.map((cells) => cells[1])).toEqual(["", null, ""]);
    expect(notes).toEqual(["1 formula has no stored result and is read as no value (B3)."]);
  });

  it("reads a duration in a strict file", async () => {
    const { rows } = await read(
      workbook({
        "xl/styles.xml":
          '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[h]:mm"/></numFmts><fills><fill/></fills><cellXfs><xf numFmtId="0"/><xf numFmtId="164" fillId="0"/></cellXfs></styleSheet>',
        "xl/worksheets/sheet1.xml": sheetXml(
          '<row r="2"><c r="A2" t="str"><v>PC-01</v></c><c r="B2" s="1" t="d"><v>PT25H30M0.000S</v></c></row>',
        ),
      }),
    );
    expect(rows).toEqual([["PC-01", "25:30"]]);
  });

  it("decodes numeric character references", async () => {
    const { rows } = await readXml('<row r="2"><c r="A2" t="str"><v>&#128540;&#x1F61C;&#228;</v></c></row>');
    expect(rows).toEqual([["😜😜ä", ""]]);
  });

  it("accepts lowercase cell references", async () => {
    const { rows } = await readXml('<row r="2"><c r="a2" t="str"><v>PC-01</v></c><c r="b2"><v>8</v></c></row>');
    expect(rows).toEqual([["PC-01", "8"]]);
  });

  it("skips a sheet without a part and gives the others their own cells", async () => {
    const { sheets, rows } = await read(
      workbook({
        "xl/workbook.xml":
          '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets><sheet name="Macros" sheetId="1" r:id=""/><sheet name="Computers" sheetId="2" r:id="rId1"/></sheets></workbook>',
        "xl/worksheets/sheet1.xml": sheetXml('<row r="2"><c r="A2" t="str"><v>PC-01</v></c></row>'),
      }),
    );
    expect(sheets.map(({ name }) => name)).toEqual(["Computers"]);
    expect(rows).toEqual([["PC-01", ""]]);
  });

  it("reads East Asian date and time formats", async () => {
    const xf = (id: number) => `<xf numFmtId="${id}" fillId="0"/>`;
    const { rows } = await read(
      workbook({
        "xl/styles.xml": `<styleSheet><fills><fill/></fills><cellXfs>${[0, 58, 32].map(xf).join("")}</cellXfs></styleSheet>`,
        "xl/worksheets/sheet1.xml": sheetXml(
          '<row r="2"><c r="A2" s="1"><v>45292.5</v></c><c r="B2" s="2"><v>0.5</v></c></row>',
        ),
      }),
    );
    expect(rows).toEqual([["2024-01-01", "12:00"]]);
  });

  it("reads dates if the file redefines the general format", async () => {
    const { rows } = await read(
      workbook({
        "xl/styles.xml":
          '<styleSheet><numFmts><numFmt numFmtId="0" formatCode="dd\\.mm\\.yyyy"/></numFmts><fills><fill/></fills><cellXfs><xf numFmtId="49" fillId="0"/><xf numFmtId="0" fillId="0"/></cellXfs></styleSheet>',
        "xl/worksheets/sheet1.xml": sheetXml(
          '<row r="2"><c r="A2" t="str"><v>PC-01</v></c><c r="B2" s="1"><v>45292</v></c></row>',
        ),
      }),
    );
    expect(rows).toEqual([["PC-01", "2024-01-01"]]);
  });

  it("is readable with an empty preview", async () => {
    const preview = "docProps/thumbnail.wmf";
    const file = workbook({ [preview]: "", "xl/worksheets/sheet1.xml": sheetXml("") });
    const start = file.indexOf(preview);
    file.fill(0xff, start + preview.length, start + preview.length + file.readUInt32LE(start - 12));
    for (const sizes of [start - 12, file.lastIndexOf(preview) - 26]) file.writeUInt32LE(0, sizes);
    expect((await read(file)).titles).toEqual(["Computer Name", "RAM"]);
  });

  it("accepts backslashes in part names", async () => {
    const whole = workbook({ "xl/worksheets/sheet1.xml": sheetXml("") });
    const odd = whole.toString("latin1").replaceAll("xl/worksheets/sheet1", "xl\\worksheets\\sheet1");
    expect((await read(Buffer.from(odd, "latin1"))).titles).toEqual(["Computer Name", "RAM"]);
  });

  it.each(["utf-16le", "utf-16be"])("reads a part encoded in %s", async (encoding) => {
    const part = encodeText(sheetXml("", ""), { encoding, bom: true });
    expect((await read(workbook({ "xl/worksheets/sheet1.xml": part }))).titles).toEqual(["Computer Name", "RAM"]);
  });
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
