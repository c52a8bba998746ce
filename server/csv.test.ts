import { expect, test } from "vitest";
import { toCsv } from "./csv";

test("quotes what needs it and disarms formulas", () => {
  expect(
    toCsv([
      ["name", "count"],
      ['Smith, "J"', 2],
      ["=1+1", -3],
      ["＝1+1", undefined],
    ]),
  ).toBe('name,count\r\n"Smith, ""J""",2\r\n\'=1+1,-3\r\n\'＝1+1,\r\n');
});
