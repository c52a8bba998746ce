import { describe, expect, it } from "vitest";
import { dateStyles, itemText, rowCells } from "./sheet-xml";

const styles = `<styleSheet><numFmts count="2"><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="&quot;day&quot; 0.00"/></numFmts>
<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164"><alignment/></xf><xf numFmtId="165"/></cellXfs></styleSheet>`;
const context = { strings: ["one", "two & three"], dates: dateStyles(styles), from1904: false };

describe("the cells of a sheet", () => {
  it("tells the styles that show dates", () => expect(context.dates).toEqual([false, true, true, false]));

  it("reads shared, inline and formula strings, numbers, booleans, dates, errors and gaps", () => {
    const xml = `<c r="A1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><r><t>a&#233;</t></r><r><t xml:space="preserve"> b_x000A_c</t></r></is></c>
      <c r="D1" t="str"><f>A1&amp;"x"</f><v>x&lt;y</v></c><c r="E1"><v>0.30000000000000004</v></c><c r="F1"><v>1.2E+3</v></c>
      <c r="G1" t="b"><v>1</v></c><c r="H1" s="1"><v>45292</v></c><c r="I1" s="2"><v>45292.5</v></c><c r="J1" t="e"><v>#N/A</v></c><c r="K1" s="3"/><c r="AA1"><v>7</v></c>`;
    const cells = rowCells(xml, context);
    expect(cells.slice(0, 11)).toEqual([
      "two & three",
      "",
      "aé b\nc",
      "x<y",
      "0.3",
      "1200",
      "true",
      "2024-01-01",
      "2024-01-01T12:00:00Z",
      "",
      "",
    ]);
    expect(cells[26]).toBe("7");
  });

  it("reads prefixed elements and leaves phonetic hints out", () => {
    expect(rowCells('<x:c r="B2"><x:v>5</x:v></x:c>', context)).toEqual(["", "5"]);
    expect(itemText("<t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh>")).toBe("東京");
  });
});
