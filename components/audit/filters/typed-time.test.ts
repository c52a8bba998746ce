import { expect, test } from "vitest";
import { findTime, parseTime } from "./typed-time";

const clock = { zone: "Europe/Berlin", now: new Date("2026-11-22T12:30:00Z") };
const spanOf = async (text: string) => {
  const span = await parseTime(text, clock);
  return span && [span.from?.toISOString(), span.to?.toISOString()];
};
const day = (from: string, to: string) => [`${from}T23:00:00.000Z`, `${to}T22:59:59.999Z`];

test.each([
  ["last tuesday", day("2026-11-16", "2026-11-17")],
  ["yesterday", day("2026-11-20", "2026-11-21")],
  ["2026-11-18", day("2026-11-17", "2026-11-18")],
  ["18 Nov", day("2026-11-17", "2026-11-18")],
  ["oct 2026", ["2026-09-30T22:00:00.000Z", "2026-10-31T22:59:59.999Z"]],
  ["2026-10", ["2026-09-30T22:00:00.000Z", "2026-10-31T22:59:59.999Z"]],
  ["last week", ["2026-11-08T23:00:00.000Z", "2026-11-15T22:59:59.999Z"]],
  ["9-10", ["2026-11-22T08:00:00.000Z", "2026-11-22T08:59:59.999Z"]],
  ["last tuesday 9:30 to 10", ["2026-11-17T08:30:00.000Z", "2026-11-17T08:59:59.999Z"]],
  ["3h", ["2026-11-22T09:30:00.000Z", undefined]],
  ["15 min", ["2026-11-22T12:15:00.000Z", undefined]],
  ["1795351800", ["2026-11-22T12:50:00.000Z", undefined]],
  ["2026-11-18T14:00:00Z", ["2026-11-18T14:00:00.000Z", undefined]],
  ["18 Nov 14:00", ["2026-11-18T13:00:00.000Z", undefined]],
  ["soonish", null],
  ["2026-13-01", null],
  ["10-9", null],
])("%s is read by the reader's clock", async (text, expected) => {
  expect(await spanOf(text)).toEqual(expected);
});

test("a sentence is told apart from the time in it", async () => {
  const found = await findTime("who disabled it last Tuesday, from which address", clock);
  expect(found?.rest).toBe("who disabled it  from which address");
  expect(found?.span.from?.toISOString()).toBe("2026-11-16T23:00:00.000Z");
});
