import { expect, test } from "vitest";
import { barsOf, describeAllBars, describeBars, spanBetween, sumOf, ticksOf } from "./bars";

const histogram = {
  from: "2026-11-20T10:20:00.000Z",
  to: "2026-11-20T13:10:00.000Z",
  step: { unit: "hour", n: 1 },
  edges: [10, 11, 12, 13, 14].map((hour) => `2026-11-20T${hour}:00:00.000Z`),
  buckets: [
    { at: "2026-11-20T10:00:00.000Z", success: 5, failure: 1, denied: 0 },
    { at: "2026-11-20T13:00:00.000Z", success: 1_200, failure: 0, denied: 4 },
  ],
  countedFrom: null,
  truncated: false,
} satisfies Parameters<typeof barsOf>[0];

test("empty steps are included", () => {
  const bars = barsOf(histogram);
  expect(bars.map(sumOf)).toEqual([6, 0, 0, 1_204]);
  expect(bars[3]?.to.toISOString()).toBe("2026-11-20T13:59:59.999Z");
  expect(barsOf({ ...histogram, from: null, to: null, edges: [], buckets: [] })).toEqual([]);
});

test("a span does not depend on the order of its ends", () => {
  const bars = barsOf(histogram);
  const span = { from: new Date("2026-11-20T11:00:00Z"), to: new Date("2026-11-20T13:59:59.999Z") };
  expect(spanBetween(bars, 1, 3)).toEqual(span);
  expect(spanBetween(bars, 3, 1)).toEqual(span);
  expect(spanBetween(bars, 0, 9)).toBeNull();
});

test("describes bars in the display zone, with the day once", () => {
  const bars = barsOf(histogram);
  expect(describeBars(bars.slice(3), "UTC")).toBe("20 Nov 2026, 13:00 to 14:00: 1,204 entries, 4 denied");
  expect(describeBars(bars, "Asia/Tokyo")).toBe("20 Nov 2026, 19:00 to 23:00: 1,210 entries, 1 failed, 4 denied");
  expect(describeBars(bars.slice(1, 2), "Pacific/Auckland")).toBe("21 Nov 2026, 00:00 to 01:00: 0 entries");
});

test("describes all bars with their step", () => {
  const words = (unit: "hour" | "day" | "month", n: number) => describeAllBars(barsOf(histogram), { unit, n });
  expect(words("hour", 1)).toBe("1,210 entries, 1 failed, 4 denied; per hour");
  expect([words("hour", 6), words("day", 7), words("month", 2)].map((text) => text.split("; ")[1])).toEqual([
    "per 6 hours",
    "per week",
    "per 2 months",
  ]);
  expect(describeAllBars([], histogram.step)).toBe("");
});

const barsAt = (...times: string[]) =>
  times.slice(0, -1).map((at, i) => ({
    from: new Date(at),
    to: new Date(Date.parse(times[i + 1] ?? at) - 1),
    success: 1,
    failure: 0,
    denied: 0,
  }));

test("describes whole days as days, even across a daylight saving change", () => {
  const days = barsAt("2026-10-23T22:00Z", "2026-10-24T22:00Z", "2026-10-25T23:00Z");
  expect(describeBars(days.slice(1), "Europe/Berlin")).toBe("25 Oct 2026: 1 entry");
  expect(describeBars(days, "Europe/Berlin")).toBe("24 Oct 2026 to 25 Oct 2026: 2 entries");
});

test("labels the first bar and day boundaries with dates, the others with times", () => {
  const hours = barsAt(
    ...[20, 21, 22, 23].map((h) => `2026-11-20T${h}:00Z`),
    "2026-11-21T00:00Z",
    "2026-11-21T01:00Z",
    "2026-11-21T02:00Z",
  );
  expect(ticksOf(hours, { unit: "hour", n: 1 }, "UTC")).toEqual([
    { at: 0, text: "20 Nov, 20:00" },
    { at: 2, text: "22:00" },
    { at: 4, text: "21 Nov" },
  ]);
  const days = barsAt(...[1, 2, 3, 4, 5].map((d) => `2026-11-0${d}T00:00Z`));
  expect(ticksOf(days, { unit: "day", n: 1 }, "UTC").map(({ text }) => text)).toEqual(["1 Nov", "3 Nov"]);
  const month = barsAt(...Array.from({ length: 32 }, (_, d) => new Date(Date.UTC(2026, 9, d + 1)).toISOString()));
  expect(ticksOf(month, { unit: "day", n: 1 }, "UTC").map(({ text }) => text)).toContain("29 Oct");
});
