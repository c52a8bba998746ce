import { describe, expect, it } from "vitest";
import { createNotes } from "./notes";
import { type CellStyle, inDigits, styleOf } from "./number-format";
import { rowEvents, stringEvents, styleEvents } from "./sheet";
import { readXml, type XmlEvents } from "./xml";

async function read<Item>(xml: string, eventsFor: (emit: (item: Item) => void) => XmlEvents): Promise<Item[]> {
  const items: Item[] = [];
  async function* pieces() {
    // Cut where no reader would expect it.
    for (let i = 0; i < xml.length; i += 7) yield xml.slice(i, i + 7);
  }
  for await (const item of readXml(pieces(), eventsFor)) items.push(item);
  return items;
}

const STYLES = `<styleSheet><numFmts count="2"><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="&quot;day&quot; 0.00"/></numFmts>
<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164"><alignment/></xf><xf numFmtId="165"/></cellXfs></styleSheet>`;
const KINDS: CellStyle[] = [{ kind: "plain" }, { kind: "date" }, { kind: "date" }, { kind: "plain" }];
const DIGITS: CellStyle = { kind: "digits", pattern: ["", "", "", "-", "", ""] };
const readRows = (rows: string, notes = createNotes()) =>
  read(
    `<sheetData>${rows}</sheetData>`,
    rowEvents({ strings: ["one", "two & three"], styles: [...KINDS, DIGITS], from1904: false, notes }),
  );

describe("the cells of a sheet", () => {
  it("knows the styles that show dates", async () => expect(await read(STYLES, styleEvents)).toEqual(KINDS));

  it("reads shared, inline and formula strings, numbers, booleans, dates, errors and gaps", async () => {
    const [row] =
      await readRows(`<row r="3"><c r="A3" t="s"><v>1</v></c><c r="C3" t="inlineStr"><is><r><t>a&#233;</t></r><r><t xml:space="preserve"> b_x000A_c</t></r></is></c>
      <c r="D3" t="str"><f>A1&amp;"x"</f><v>x&lt;y</v></c><c r="E3"><v>0.30000000000000004</v></c><c r="F3"><v>1.2E+3</v></c>
      <c r="G3" t="b"><v>1</v></c><c r="H3" s="1"><v>45292</v></c><c r="I3" s="2"><v>45292.5</v></c><c r="J3" t="e"><v>#N/A</v></c><c r="K3" s="3"/><c r="AA3"><v>7</v></c></row>`);
    expect(row?.line).toBe(3);
    expect(row?.cells.slice(0, 11)).toEqual([
      "two & three",
      "",
      "aé b\nc",
      "x<y",
      "0.3",
      "1200",
      "true",
      "2024-01-01",
      "2024-01-01T12:00:00",
      null,
      "",
    ]);
    expect(row?.cells[26]).toBe("7");
  });

  it.each([
    ["000000", "7", "000007"],
    ["000000", "1234567", "1234567"],
    ["000-00", "123", "001-23"],
    ['"PC-"0000', "42", "PC-0042"],
    ["00000", "1.5", "1.5"],
    ["0", "7", "7"],
    ["#,##0", "1234", "1234"],
    ["0.00", "1.5", "1.5"],
  ])("shows a number of format %s as a spreadsheet does: %s is %s", (code, number, shown) => {
    const style = styleOf(164, code);
    expect(style.kind === "digits" ? inDigits(number, style.pattern) : number).toBe(shown);
  });

  it("keeps a format's digits, and tells errors and formulas that have no result", async () => {
    const notes = createNotes();
    const [row] = await readRows(
      '<row r="2"><c r="A2" s="4"><v>7</v></c><c r="B2" t="e"><v>#N/A</v></c><c r="C2"><f>1+1</f></c><c r="D2" t="e"><v>#REF!</v></c></row>',
      notes,
    );
    expect(row?.cells).toEqual(["000-07", null, null, null]);
    expect(notes.toTexts()).toEqual([
      "2 cells hold an error such as #N/A and are read as no value (B2, D2).",
      "1 formula has no stored result and is read as no value (C2).",
    ]);
  });

  it("reads prefixed elements, and cells and rows that do not say where they stand", async () => {
    const rows = await readRows(
      '<x:row><x:c r="B2"><x:v>5</x:v></x:c></x:row><row><c/><c><v>6</v></c></row><row r="9"/>',
    );
    expect(rows).toEqual([
      { line: 1, cells: ["", "5"] },
      { line: 2, cells: ["", "6"] },
      { line: 9, cells: [] },
    ]);
  });

  it("leaves phonetic hints out of shared strings", async () =>
    expect(
      await read("<sst><si><t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh></si><si/></sst>", stringEvents),
    ).toEqual(["東京", ""]));
});
