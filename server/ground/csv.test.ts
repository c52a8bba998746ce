import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { orderedRuns, reportCases } from "@/testing/ordered";
import { toCsv } from "./csv";

test("quotes cells where needed and escapes formulas", () => {
  expect(
    toCsv([
      ["name", "count"],
      ['Smith, "J"', 2],
      ["=1+1", -3],
      ["＝1+1", undefined],
    ]),
  ).toBe('name,count\r\n"Smith, ""J""",2\r\n\'=1+1,-3\r\n\'＝1+1,\r\n');
});

/** Beginnings that a spreadsheet takes for a formula, written down again. */
const STARTERS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"];
const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", "'", " ", "a", ...STARTERS), maxLength: 8 }),
);
const row = fc.array(text, { minLength: 3, maxLength: 3 });

test("any cells survive another CSV parser, and none is a formula", () => {
  const settings = orderedRuns(500);
  let unguarded = 0;
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
      const read: string[][] = parse(toCsv(rows), { skip_empty_lines: false });
      const shown = (cell: string) => (STARTERS.some((starter) => cell.startsWith(starter)) ? `'${cell}` : cell);
      expect(read).toEqual(rows.map((cells) => cells.map(shown)));
      if (rows.flat().some((cell) => shown(cell) !== cell)) unguarded++;
    }),
    settings,
  );
  expect(unguarded).toBeGreaterThan(0);
  reportCases(
    settings.numRuns,
    `a writer without apostrophes would have let a formula through in ${unguarded} of them`,
  );
});
