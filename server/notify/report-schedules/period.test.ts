import fc from "fast-check";
import { expect, it } from "vitest";
import { wallClock } from "@/server/ground/time/wall-clock";
import { lastPeriod, nextRun } from "./period";
import { CADENCES } from "./schema";

const iso = (at: string) => new Date(at);

it("a week runs Monday to Sunday local time, an hour shorter at the DST change", () => {
  const { from, to } = lastPeriod("weekly", "Europe/Paris", iso("2026-03-30T04:30:00Z"));
  expect([from.toISOString(), to.toISOString()]).toEqual(["2026-03-22T23:00:00.000Z", "2026-03-29T21:59:59.999Z"]);
});

it("a month is a full calendar month, including over the new year", () => {
  const { from, to } = lastPeriod("monthly", "UTC", iso("2027-01-01T06:00:00Z"));
  expect([from.toISOString(), to.toISOString()]).toEqual(["2026-12-01T00:00:00.000Z", "2026-12-31T23:59:59.999Z"]);
});

it("the next run is at 6 AM local time", () => {
  expect(nextRun("weekly", "America/New_York", iso("2026-11-22T12:00:00Z")).toISOString()).toBe(
    "2026-11-23T11:00:00.000Z",
  );
  expect(nextRun("monthly", "Asia/Tokyo", iso("2026-11-22T12:00:00Z")).toISOString()).toBe("2026-11-30T21:00:00.000Z");
  const monday = iso("2026-11-23T06:00:00Z");
  expect(nextRun("weekly", "UTC", monday).toISOString()).toBe("2026-11-30T06:00:00.000Z");
});

const zones = ["UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Australia/Lord_Howe"];

it("consecutive periods have no gap or overlap in any time zone", () => {
  const at = fc.date({ min: iso("2020-01-01T00:00:00Z"), max: iso("2035-01-01T00:00:00Z"), noInvalidDate: true });
  fc.assert(
    fc.property(fc.constantFrom(...CADENCES), fc.constantFrom(...zones), at, (cadence, zone, now) => {
      const run = nextRun(cadence, zone, now);
      const following = nextRun(cadence, zone, run);
      expect(run > now && following > run).toBe(true);
      const [one, two] = [lastPeriod(cadence, zone, run), lastPeriod(cadence, zone, following)];
      expect(two.from.getTime()).toBe(one.to.getTime() + 1);
      expect(one.to < run && two.to < following).toBe(true);
      expect(new Date(wallClock(run, zone)).getUTCHours()).toBe(6);
    }),
    { numRuns: 500 },
  );
});
