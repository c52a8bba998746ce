import fc from "fast-check";
import { expect, test } from "vitest";
import { offsetMs, wallClock } from "@/server/ground/time/wall-clock";
import { MAX_HISTOGRAM_BUCKETS } from "./facets-schema";
import { edgesOf, stepOf } from "./histogram";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Clocks that change at midnight, by half an hour, that skipped a whole day, and that are no whole hours from UTC. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Havana",
  "America/Sao_Paulo",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Apia",
];
const ranges = fc.record({
  zone: fc.constantFrom(...ZONES),
  from: fc.integer({ min: Date.UTC(2011, 0, 1), max: Date.UTC(2027, 0, 1) }),
  length: fc.oneof(
    fc.integer({ min: 0, max: 3 * DAY }),
    fc.integer({ min: 0, max: 900 * DAY }),
    fc.constant(4_000 * DAY),
  ),
});

test("time steps cover the range without gaps or overlaps, within the bucket limit", () => {
  fc.assert(
    fc.property(ranges, ({ zone, from, length }) => {
      const to = from + length;
      const edges = edgesOf(from, to, { step: stepOf(from, to), zone });
      expect(edges[0]).toBeLessThanOrEqual(from);
      expect(edges.at(-1)).toBeGreaterThan(to);
      expect(edges.at(-2)).toBeLessThanOrEqual(to);
      expect(edges.every((edge, i) => i === 0 || edge > (edges[i - 1] ?? 0))).toBe(true);
      expect(edges.length - 1).toBeLessThanOrEqual(MAX_HISTOGRAM_BUCKETS);
    }),
    { numRuns: 300 },
  );
});

test("a day starts at the first second of that date in the reader's time zone", () => {
  fc.assert(
    fc.property(ranges, ({ zone, from }) => {
      const edges = edgesOf(from, from + 30 * DAY, { step: { unit: "day", n: 1 }, zone });
      for (const edge of edges) {
        const day = (ms: number) => Math.floor(wallClock(new Date(ms), zone) / DAY);
        expect(day(edge)).toBeGreaterThan(day(edge - 1000));
      }
    }),
    { numRuns: 150 },
  );
});

test.each([
  ["2026-03-29T12:00:00Z", 23],
  ["2026-10-25T12:00:00Z", 25],
  ["2026-11-20T12:00:00Z", 24],
])("the day of %s has %d hours in Berlin", (at, hours) => {
  const [first = 0, second = 0] = edgesOf(Date.parse(at), Date.parse(at), {
    step: { unit: "day", n: 1 },
    zone: "Europe/Berlin",
  });
  expect((second - first) / HOUR).toBe(hours);
});

test("weeks start on Monday, months on the first, hours on the local hour", () => {
  const at = Date.parse("2026-11-20T12:00:00Z");
  const [week = 0] = edgesOf(at, at, { step: { unit: "day", n: 7 }, zone: "Europe/Berlin" });
  expect(new Date(week).toISOString()).toBe("2026-11-15T23:00:00.000Z");
  const [month = 0] = edgesOf(at, at, { step: { unit: "month", n: 1 }, zone: "Europe/Berlin" });
  expect(new Date(month).toISOString()).toBe("2026-10-31T23:00:00.000Z");
  const [hour = 0] = edgesOf(at, at, { step: { unit: "hour", n: 1 }, zone: "Asia/Kolkata" });
  expect((hour + offsetMs("Asia/Kolkata", new Date(hour))) % HOUR).toBe(0);
});

test.each([
  [0, { unit: "minute", n: 1 }],
  [2 * HOUR, { unit: "minute", n: 5 }],
  [48 * HOUR, { unit: "hour", n: 1 }],
  [365 * DAY, { unit: "day", n: 7 }],
  [5 * 365 * DAY, { unit: "month", n: 2 }],
])("uses steps for a %d ms range of %j", (range, step) => expect(stepOf(0, range)).toEqual(step));
