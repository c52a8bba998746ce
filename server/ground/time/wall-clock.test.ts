import fc from "fast-check";
import { expect, test } from "vitest";
import { fromWallClock, isZone, wallClock } from "./wall-clock";

/** Zones that change their clocks at midnight, by half an hour, never, and by names that are no whole hours from UTC. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Havana",
  "America/Sao_Paulo",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Asia/Beirut",
  "Australia/Lord_Howe",
  "Pacific/Apia",
];
const instants = fc.integer({ min: Date.UTC(2015, 0, 1) / 1000, max: Date.UTC(2030, 0, 1) / 1000 });

test("local time converts back to the same instant, or the first of two", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), instants, (zone, seconds) => {
      const at = new Date(seconds * 1000);
      const back = fromWallClock(wallClock(at, zone), zone);
      expect(wallClock(back, zone)).toBe(wallClock(at, zone));
      expect(back.getTime()).toBeLessThanOrEqual(at.getTime());
    }),
  );
});

test("a skipped local time maps to the instant of the clock change", () => {
  const skipped = fromWallClock(Date.UTC(2026, 2, 29, 2, 30), "Europe/Berlin");
  expect(skipped).toEqual(new Date("2026-03-29T01:00:00Z"));
  expect(fromWallClock(Date.UTC(2018, 10, 4), "America/Sao_Paulo")).toEqual(new Date("2018-11-04T03:00:00Z"));
});

test("accepts named time zones, not offsets or invalid names", () => {
  expect(["Europe/Berlin", "UTC", "+02:00", "Middle/Earth", ""].map(isZone)).toEqual([true, true, false, false, false]);
});
