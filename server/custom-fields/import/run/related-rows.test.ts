import { expect, it } from "vitest";
import { othersInWords, relatedTo } from "./related-rows";
import type { RelatedRow, ResultRow } from "./tables/results";

const FILES = [{ name: "export.csv", format: null }];
const DEVICE = "d1";

/** Rows that are all about one device, and how many of them were read. */
function rowsOfOneDevice(rows: number) {
  const read = new Set<number>();
  const group = Array.from({ length: rows }, (_, at): RelatedRow => {
    const row = { rowNo: at + 1, sourceId: null, devices: [DEVICE], fileNo: 0, line: at + 2 };
    return Object.defineProperty(row, "rowNo", { get: () => read.add(at) && at + 1 });
  });
  return { group, read };
}

const dispute = (rowNo: number, ...candidates: string[]): ResultRow => ({
  rowNo,
  outcome: "identity_conflict",
  reason: null,
  deviceId: null,
  sourceId: null,
  codes: "",
  candidates,
  pickedDeviceId: null,
  cells: [],
  fileNo: 0,
  line: rowNo + 1,
});

it.each([
  [1, "line 3, line 4, line 5, line 6, line 7 and 19994 more"],
  [3, "line 2, line 3, line 5, line 6, line 7 and 19994 more"],
  [20_000, "line 2, line 3, line 4, line 5, line 6 and 19994 more"],
])("names the first rows beside row %i without reading the others", (rowNo, words) => {
  const { group, read } = rowsOfOneDevice(20_000);
  expect(othersInWords(FILES, group, rowNo)).toBe(words);
  expect(read.size).toBeLessThan(10);
});

it("omits the count when all rows are named", () => {
  const { group } = rowsOfOneDevice(6);
  expect(othersInWords(FILES, group, 2)).toBe("line 2, line 4, line 5, line 6, line 7");
});

it("reads few of many rows related to a conflict", () => {
  const { group, read } = rowsOfOneDevice(20_000);
  const about = new Map([[DEVICE, group]]);
  expect(relatedTo(dispute(2, DEVICE), about, FILES).map(({ rowNo }) => rowNo)).toEqual([1, 3, 4, 5, 6]);
  expect(read.size).toBeLessThan(10);
});

it("names a row related to two devices once, in file order", () => {
  const [one, two] = [rowsOfOneDevice(9).group, rowsOfOneDevice(4).group];
  const about = new Map([
    ["d2", one.slice(3)],
    ["d1", two],
  ]);
  expect(relatedTo(dispute(1, "d2", "d1", "d3"), about, FILES).map(({ place }) => place)).toEqual(
    [3, 4, 5, 6, 7].map((line) => `line ${line}`),
  );
});
