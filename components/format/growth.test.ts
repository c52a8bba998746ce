import { expect, test } from "vitest";
import { growthFigure, growthText } from "./growth";

const NOW = "2026-11-22T12:00:00.000Z";
const since = (hours: number) => new Date(Date.parse(NOW) - hours * 3_600_000).toISOString();

test("growth is a rate after one day and unknown before", () => {
  expect(growthText({ entries: 300, since: since(240) }, NOW)).toBe("30 a day");
  expect(growthText({ entries: 12, since: since(48) }, NOW)).toBe("6.0 a day");
  expect(growthText({ entries: 15_586, since: since(2) }, NOW)).toBe("Not known yet");
  expect(growthText(null, NOW)).toBe("Not known yet");
});

test("the growth of a log states its period", () => {
  const week = { entries: 70, since: since(168) };
  const figureOf = (hours: number) => growthFigure({ month: { entries: 300, since: since(hours) }, week }, NOW);
  expect(figureOf(720)).toEqual({ label: "Growth, 30 days", value: "10 a day", note: "last 7 days: 10 a day" });
  expect(figureOf(75).label).toBe("Growth, 3 days");
  const unknown = { label: "Growth", value: "Not known yet", note: "known after one day" };
  expect(figureOf(2)).toEqual(unknown);
  expect(growthFigure({ month: null, week: null }, NOW)).toEqual(unknown);
});
