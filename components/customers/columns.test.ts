import { expect, test } from "vitest";
import { growthLabel, growthText } from "./columns";

const NOW = "2026-11-22T12:00:00.000Z";
const since = (hours: number) => new Date(Date.parse(NOW) - hours * 3_600_000).toISOString();

test("growth is a rate from one day on, and not known before", () => {
  expect(growthText({ entries: 300, since: since(240) }, NOW)).toBe("30 a day");
  expect(growthText({ entries: 12, since: since(48) }, NOW)).toBe("6.0 a day");
  expect(growthText({ entries: 15_586, since: since(2) }, NOW)).toBe("Not known yet");
  expect(growthText(null, NOW)).toBe("Not known yet");
});

test("the growth label states its period", () => {
  expect(growthLabel({ entries: 300, since: since(720) }, NOW)).toBe("Growth, 30 days");
  expect(growthLabel({ entries: 300, since: since(75) }, NOW)).toBe("Growth, 3 days 3 h");
  expect(growthLabel({ entries: 300, since: since(2) }, NOW)).toBe("Growth");
  expect(growthLabel(null, NOW)).toBe("Growth");
});
