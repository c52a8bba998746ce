import { expect, test } from "vitest";
import { HOUR_MS } from "@/server/ground/time/durations";
import { fromWallClock, toWallClock } from "@/server/ground/time/wall-clock";
import { ofField, presetSpan, shifted, widened } from "./range";
import { invalidParams, loadView, spanOf } from "./view";

const now = new Date("2026-11-20T23:30:15Z");

test("a relative range starts on the minute and stays open", () => {
  expect(presetSpan("1h", "UTC", now)).toEqual({ from: new Date("2026-11-20T22:30:00Z") });
});

test("today is a day in the display zone, not in UTC", () => {
  expect(presetSpan("today", "Europe/Berlin", now).from).toEqual(new Date("2026-11-20T23:00:00Z"));
  expect(presetSpan("today", "UTC", now).from).toEqual(new Date("2026-11-20T00:00:00Z"));
});

test("yesterday ends where today starts", () => {
  expect(presetSpan("yesterday", "America/New_York", now)).toEqual({
    from: new Date("2026-11-19T05:00:00Z"),
    to: new Date("2026-11-20T04:59:59.999Z"),
  });
});

test("the wall clock converts both ways, even across a daylight saving change", () => {
  const before = new Date("2026-10-25T00:30:00Z");
  expect(toWallClock(before, "Europe/Berlin")).toBe("2026-10-25T02:30");
  expect(fromWallClock(Date.UTC(2026, 6, 1, 12), "Europe/Berlin")).toEqual(new Date("2026-07-01T10:00:00Z"));
  expect(fromWallClock(Date.UTC(2026, 11, 1, 12), "America/New_York")).toEqual(new Date("2026-12-01T17:00:00Z"));
});

test("a range steps by its own length and widens around its middle", () => {
  const span = { from: new Date("2026-11-20T10:00:00Z"), to: new Date("2026-11-20T10:59:59.999Z") };
  expect(shifted(span, -1, now)).toEqual({
    from: new Date("2026-11-20T09:00:00Z"),
    to: new Date("2026-11-20T09:59:59.999Z"),
  });
  expect(widened(span, now).from).toEqual(new Date("2026-11-20T09:30:00.000Z"));
  expect(widened({ from: new Date("2026-11-20T23:00:15Z") }, now)).toEqual({ from: new Date("2026-11-20T22:45:15Z") });
});

test("a range stops at the earliest and latest supported times", () => {
  const span = { from: new Date(HOUR_MS), to: new Date(3 * HOUR_MS - 1) };
  expect(shifted(span, -1, now)).toEqual({ from: new Date(0), to: new Date(HOUR_MS - 1) });
  expect(widened({ from: new Date(0), to: now }, now)).toEqual({ from: new Date(0) });
});

test("unsupported times in the URL are ignored and named once", () => {
  const params = new URLSearchParams({ from: "+012026-11-20T10:00:00.000Z", to: "1969-12-31T23:59:59.999Z" });
  expect(loadView(params)).toMatchObject({ from: null, to: null });
  expect(invalidParams(params)).toEqual(["from=+012026-11-20T10:00:00.000Z", "to=1969-12-31T23:59:59.999Z"]);
  expect(invalidParams(new URLSearchParams({ from: "2026-11-20T10:00Z", to: "2026-11-19T10:00Z" }))).toEqual([
    "from is after to",
  ]);
});

test("a field of minutes keeps the seconds of what it showed until it is edited", () => {
  const field = { first: new Date("2026-11-20T22:59:59.999Z"), zone: "Europe/Berlin" };
  expect(ofField("2026-11-20T23:59", field)).toEqual(field.first);
  expect(ofField("2026-11-20T23:58", field)).toEqual(new Date("2026-11-20T22:58:00Z"));
  for (const text of ["", "12026-11-20T23:59"]) expect(ofField(text, field)).toBeNull();
  expect(ofField("2026-11-20T23:59", { ...field, first: null })).toEqual(new Date("2026-11-20T22:59:00Z"));
});

test("a range ends with the last instant of the minute that its field shows", () => {
  const end = { first: null, zone: "Asia/Tokyo", isEnd: true };
  expect(ofField("2026-11-20T23:59", end)).toEqual(new Date("2026-11-20T14:59:59.999Z"));
});

test("a range that ends before it starts is ignored", () => {
  const [from, to] = [new Date("2026-11-18T00:00:00Z"), new Date("2026-11-09T23:59:59.999Z")];
  expect(spanOf({ range: null, from, to }, "UTC", now)).toEqual({});
  expect(spanOf({ range: null, from: to, to: from }, "UTC", now)).toEqual({ from: to, to: from });
});
