import { expect, it } from "vitest";
import type { Entry } from "@/components/audit/entry";
import { listedEntry } from "@/testing/listed-entry";
import {
  addArrivals,
  afterReload,
  isContiguous,
  MAX_LIVE_ROWS,
  merged,
  NOTHING_NEW,
  type Page,
  withHeldShown,
} from "./live-stream";

const entry = (n: number) =>
  listedEntry({ id: `e${n}`, chainSeq: n, timestamp: new Date(1_800_000_000_000 + n * 1000).toISOString() });
const page = (ns: number[], nextCursor: string | null = "older"): Page => ({
  data: ns.map((n) => entry(n)),
  pagination: { nextCursor },
});
const names = (entries: Entry[]) => entries.map(({ id }) => id).join(" ");

it("inserts new entries in order, without duplicates or entries of an older page", () => {
  const first = page([9, 7, 5]);
  const rows = addArrivals(NOTHING_NEW, {
    entries: [entry(10), entry(9), entry(8), entry(3), entry(10)],
    page: first,
    isHeld: false,
  });
  expect(names(merged(rows, first))).toBe("e10 e9 e8 e7 e5");
  const last = page([9, 7, 5], null);
  expect(names(merged(rows, last))).toBe("e10 e9 e8 e7 e5 e3");
});

it("holds and counts entries until they are shown", () => {
  const first = page([2, 1]);
  let rows = addArrivals(NOTHING_NEW, { entries: [entry(3)], page: first, isHeld: true });
  rows = addArrivals(rows, { entries: [entry(3), entry(4)], page: first, isHeld: true });
  expect(rows.heldCount).toBe(2);
  expect(names(merged(rows, first))).toBe("e2 e1");
  expect(names(merged(withHeldShown(rows), first))).toBe("e4 e3 e2 e1");
});

it("keeps a bounded number, continues counting, and requests a reload", () => {
  const first = page([1]);
  const many = Array.from({ length: MAX_LIVE_ROWS + 1 }, (_, i) => entry(i + 2));
  const held = addArrivals(NOTHING_NEW, { entries: many, page: first, isHeld: true });
  expect(held).toMatchObject({ held: [], heldCount: MAX_LIVE_ROWS + 1, needsReload: true });
  expect(addArrivals(held, { entries: [entry(999)], page: first, isHeld: true })).toMatchObject({
    held: [],
    heldCount: MAX_LIVE_ROWS + 2,
  });
  expect(addArrivals(NOTHING_NEW, { entries: many, page: first, isHeld: false }).needsReload).toBe(true);
});

it("after a reload, drops entries that are on the page or an older one", () => {
  const rows = addArrivals(NOTHING_NEW, { entries: [2, 3, 4, 9].map((n) => entry(n)), page: page([1]), isHeld: false });
  const again = page([4, 3]);
  expect(afterReload(rows, again)).toMatchObject({ shown: [{ id: "e9" }], heldCount: 0, needsReload: false });
  expect(names(merged(afterReload(rows, again), again))).toBe("e9 e4 e3");
});

it("after a reload, drops entries from before the range's new start", () => {
  const rows = addArrivals(NOTHING_NEW, {
    entries: [2, 8, 9].map((n) => entry(n)),
    page: page([1], null),
    isHeld: false,
  });
  expect(names(afterReload(rows, page([8], null), entry(5).timestamp).shown)).toBe("e9");
});

it("detects a gap between the newest page and known entries", () => {
  expect(isContiguous(page([5, 4]), NOTHING_NEW, page([4, 3]))).toBe(true);
  expect(isContiguous(page([9, 8]), NOTHING_NEW, page([4, 3]))).toBe(false);
  expect(isContiguous(page([9, 8], null), NOTHING_NEW, page([]))).toBe(true);
});
