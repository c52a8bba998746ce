import { expect, test } from "vitest";
import { allInWords, barsInWords, barsOf, spanBetween, sumOf } from "./bars";

const HOUR = 3_600_000;
const histogram = {
  from: "2026-11-20T10:20:00.000Z",
  to: "2026-11-20T13:10:00.000Z",
  stepMs: HOUR,
  buckets: [
    { at: "2026-11-20T10:00:00.000Z", success: 5, failure: 1, denied: 0 },
    { at: "2026-11-20T13:00:00.000Z", success: 1_200, failure: 0, denied: 4 },
  ],
  countedFrom: null,
  truncated: false,
};

test("empty steps are there too, from the first to the last", () => {
  const bars = barsOf(histogram);
  expect(bars.map(sumOf)).toEqual([6, 0, 0, 1_204]);
  expect(bars[3]?.to.toISOString()).toBe("2026-11-20T13:59:59.999Z");
  expect(barsOf({ ...histogram, from: null, to: null, buckets: [] })).toEqual([]);
});

test("a span is the same from either end", () => {
  const bars = barsOf(histogram);
  const span = { from: new Date("2026-11-20T11:00:00Z"), to: new Date("2026-11-20T13:59:59.999Z") };
  expect(spanBetween(bars, 1, 3)).toEqual(span);
  expect(spanBetween(bars, 3, 1)).toEqual(span);
  expect(spanBetween(bars, 0, 9)).toBeNull();
});

test("bars are told in the reader's zone, the day once", () => {
  const bars = barsOf(histogram);
  expect(barsInWords(bars.slice(3), "UTC")).toBe("20 Nov 2026, 13:00 to 14:00: 1,204 entries, 4 denied");
  expect(barsInWords(bars, "Asia/Tokyo")).toBe("20 Nov 2026, 19:00 to 23:00: 1,210 entries, 1 failed, 4 denied");
  expect(barsInWords(bars.slice(1, 2), "Pacific/Auckland")).toBe("21 Nov 2026, 00:00 to 01:00: 0 entries");
});

test("all bars together tell how long one is", () => {
  expect(allInWords(barsOf(histogram))).toBe("1,210 entries, 1 failed, 4 denied; per hour");
  expect(allInWords([])).toBe("");
});
