import { describe, expect, it } from "vitest";
import { nextSlice, type Slice } from "@/server/evidence/integrity/nightly-range";
import { type HeadClaim, type Link, type Verdict, Verifier } from "./verifier";

const checksum = (seq: number): string => `checksum ${seq}`;
const LENGTH = 100;
const CHAIN: Link[] = Array.from({ length: LENGTH }, (_, i) => ({
  seq: i + 1,
  id: `row ${i + 1}`,
  checksum: checksum(i + 1),
  prevChecksum: i === 0 ? null : checksum(i),
  recomputed: checksum(i + 1),
}));
const WHOLE: readonly [first: number, last: number] = [1, LENGTH];
const HEAD = { seq: LENGTH, checksum: checksum(LENGTH) };

/** Reads a part of the rows that are left, as verifyChain does. */
function judge(rows: readonly Link[], [first, last] = WHOLE, head: HeadClaim = HEAD): Verdict {
  const before = rows.find(({ seq }) => seq === first - 1);
  const toEnd = last >= LENGTH;
  const verifier = new Verifier({
    start: first === 1 ? { seq: 0, checksum: null } : { seq: first - 1, checksum: before?.checksum ?? null },
    end: toEnd ? undefined : last,
    pruned: null,
  });
  for (const row of rows) if (row.seq >= first && row.seq <= last) verifier.add(row);
  return verifier.finish(toEnd ? head : "unknown");
}

/** Every way to delete neighbouring rows. */
function* deletions(): Generator<{ from: number; to: number; left: Link[] }> {
  for (let from = 1; from <= LENGTH; from++)
    for (let to = from; to <= LENGTH; to++) yield { from, to, left: CHAIN.filter(({ seq }) => seq < from || seq > to) };
}

describe("deleting adjacent rows from a chain of 100", () => {
  it("is detected at the first missing row when the whole chain is verified", () => {
    const missed: string[] = [];
    for (const { from, to, left } of deletions()) {
      const { status, breaks } = judge(left);
      if (status !== "broken" || breaks[0]?.seq !== from) missed.push(`${from} to ${to}: ${status}`);
    }
    expect(missed).toEqual([]);
  });

  it("is detected in any verified part with a missing row, even at its edges", () => {
    const missed: string[] = [];
    for (const { from, to, left } of deletions())
      for (const [first, last] of [
        [1, 30],
        [20, 40],
        [from, to],
        [Math.max(1, from - 1), Math.min(LENGTH, to + 1)],
        [to, Math.min(LENGTH, to + 5)],
        [Math.min(LENGTH, to + 1), LENGTH],
      ] as const) {
        const touched = from <= last && to >= first - 1 && first - 1 + to > 0;
        const status = judge(left, [first, last]).status;
        if (touched && to >= Math.max(first - 1, 1) && status !== "broken")
          missed.push(`${from} to ${to} in ${first} to ${last}: ${status}`);
      }
    expect(missed).toEqual([]);
  });

  it("is detected within 31 nights by nightly slices alone", () => {
    const missed: string[] = [];
    for (const { from, to, left } of deletions()) {
      let before: Slice | null = null;
      let seen = judge(left, [LENGTH, LENGTH]).status === "broken";
      for (let night = 0; night < 31 && !seen; night++) {
        before = nextSlice({ pruned: 0, verified: LENGTH, before }, new Date(0));
        if (!before) break;
        seen = judge(left, [before.first, before.last]).status === "broken";
      }
      if (!seen) missed.push(`${from} to ${to}`);
    }
    expect(missed).toEqual([]);
  });
});

it("an untouched part is intact, wherever it starts and ends", () => {
  for (let first = 1; first <= LENGTH; first += 7)
    for (let last = first; last <= LENGTH; last += 5)
      expect(judge(CHAIN, [first, last])).toMatchObject({
        status: "intact",
        rowsChecked: last - first + 1,
        breaks: [],
      });
});

it("rows without a head are truncated; no rows and no head is an empty chain", () => {
  expect(judge(CHAIN, WHOLE, "absent").breaks).toMatchObject([{ seq: 101, kind: "truncated" }]);
  expect(judge([], WHOLE, "absent")).toMatchObject({ status: "empty", breaks: [] });
});
