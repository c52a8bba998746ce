import { expect, test } from "vitest";
import { dayName, zoneName } from "./time";

const zone = "Europe/Berlin";

test("yesterday is the previous calendar day, even across a daylight saving change", () => {
  const springNight = new Date("2026-03-29T22:30:00Z"); // 00:30 on the 30th, after a day of 23 hours
  expect(dayName("2026-03-29T10:00:00Z", zone, springNight)).toBe("Yesterday, 29 March 2026");
  expect(dayName("2026-03-28T10:00:00Z", zone, springNight)).toBe("Saturday, 28 March 2026");
  const longEvening = new Date("2026-10-25T22:30:00Z"); // 23:30 on a day of 25 hours
  expect(dayName("2026-10-24T10:00:00Z", zone, longEvening)).toBe("Yesterday, 24 October 2026");
  expect(dayName("2026-10-25T00:30:00Z", zone, longEvening)).toBe("Today, 25 October 2026");
});

test("a zone name shows the offset if all times share it", () => {
  const [summer, winter] = ["2026-10-10T12:00:00Z", "2026-11-27T12:00:00Z"];
  expect(zoneName(zone, summer)).toBe("Europe/Berlin, UTC+2");
  expect(zoneName(zone, winter, new Date(winter), null)).toBe("Europe/Berlin, UTC+1");
  expect(zoneName(zone, summer, winter)).toBe("Europe/Berlin");
  expect(zoneName("America/New_York", undefined)).toBe("America/New York");
  expect(zoneName("UTC", summer)).toBe("UTC");
});
