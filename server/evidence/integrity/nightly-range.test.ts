import { describe, expect, it } from "vitest";
import { nextSlice, ROLLING_NIGHTS, type Slice } from "./nightly-range";

const NOW = new Date("2026-11-22T02:15:00Z");
const DAY_MS = 86_400_000;
const nightAt = (n: number) => new Date(NOW.getTime() + n * DAY_MS);

/** Over so many nights: the longest time between two readings of a row, the first of which is its own night. */
function longestPause(nights: number, { start, growth, missed = () => false }: Grown): number {
  const lastRead = new Map<number, number>();
  let before: Slice | null = null;
  let longest = 0;
  const read = (seq: number, night: number) => {
    longest = Math.max(longest, night - (lastRead.get(seq) ?? night));
    lastRead.set(seq, night);
  };
  let verified = 0;
  for (let night = 0; night < nights; night++) {
    if (missed(night)) continue;
    const head = start + growth * night;
    before = nextSlice({ pruned: 0, verified, before }, nightAt(night)) ?? before;
    if (verified > 0 && before) for (let seq = before.first; seq <= before.last; seq++) read(seq, night);
    for (let seq = Math.max(1, verified); seq <= head; seq++) read(seq, night);
    verified = head;
  }
  for (const night of lastRead.values()) longest = Math.max(longest, nights - 1 - night);
  return longest;
}
type Grown = { start: number; growth: number; missed?: (night: number) => boolean };

describe("nextSlice", () => {
  it("reads a fixed chain in thirty nights and then starts over", () => {
    let before: Slice | null = null;
    const seen = new Set<number>();
    for (let night = 0; night < ROLLING_NIGHTS; night++) {
      before = nextSlice({ pruned: 0, verified: 1001, before }, nightAt(night));
      for (let seq = before?.first ?? 1; seq <= (before?.last ?? 0); seq++) seen.add(seq);
    }
    expect(seen.size).toBe(1000);
    expect(nextSlice({ pruned: 0, verified: 1001, before }, nightAt(30))).toMatchObject({ first: 1, last: 34 });
  });

  it("reads every row within 31 nights while the chain grows", () => {
    for (const [start, growth] of [
      [900, 0],
      [0, 40],
      [10, 300],
      [5000, 7],
    ] as const)
      expect(longestPause(200, { start, growth })).toBeLessThanOrEqual(31);
  });

  it("catches up after nights without a run", () => {
    const missed = (night: number) => night % 3 !== 0;
    expect(longestPause(200, { start: 900, growth: 10, missed })).toBeLessThanOrEqual(33);
  });

  it("reads everything in thirty runs, even within one night", () => {
    let before: Slice | null = null;
    for (let run = 0; run < ROLLING_NIGHTS; run++) before = nextSlice({ pruned: 0, verified: 500, before }, NOW);
    expect(before).toMatchObject({ last: 499, endsRound: true });
  });

  it("skips rows pruned in the meantime", () => {
    const before = { first: 61, last: 100, night: 3, beganAt: NOW, endsRound: false };
    expect(nextSlice({ pruned: 500, verified: 1001, before }, NOW)).toMatchObject({ first: 501, last: 519, night: 4 });
    expect(nextSlice({ pruned: 1000, verified: 1001, before }, NOW)).toBeNull();
  });

  it("returns nothing for a new or short chain", () => {
    expect(nextSlice({ pruned: 0, verified: 0, before: null }, NOW)).toBeNull();
    expect(nextSlice({ pruned: 0, verified: 1, before: null }, NOW)).toBeNull();
    expect(nextSlice({ pruned: 0, verified: 2, before: null }, NOW)).toMatchObject({ first: 1, last: 1 });
  });
});
