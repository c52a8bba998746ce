import { expect, it } from "vitest";
import { ROWS } from "@/testing/evidence/base-bundles";
import { EntryIndex } from "./check-file";

const ROW = { type: "row", ...ROWS[1] };

async function entryOf(line: string) {
  const index = new EntryIndex(new Blob([line]));
  index.add(0, Buffer.byteLength(line));
  return index.entry(0);
}

it("returns every entry of a bundle as it is in the file, including the first", async () => {
  for (const row of ROWS) expect(await entryOf(JSON.stringify(row))).toEqual(row);
});

it.each([
  ["no action", { action: null }],
  ["no result", { result: null }],
  ["an object for a name", { resourceName: {} }],
  ["a list for an address", { actorEmail: [] }],
  ["a number for a checksum", { checksum: 7 }],
  ["no checksum", { checksum: null }],
  ["a sequence number as text", { chainSeq: "2" }],
  ["no time", { timestampMs: null }],
  ["a time beyond the calendar", { timestampMs: 8.7e15 }],
])("returns no entry for a line with %s", async (_, other) => {
  expect(await entryOf(JSON.stringify({ ...ROW, ...other }))).toBeNull();
});

it.each(["null", "[]", '"row"', "{", ""])("returns no entry for the line %j", async (line) => {
  expect(await entryOf(line)).toBeNull();
});
