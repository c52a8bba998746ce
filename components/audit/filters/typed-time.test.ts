import { expect, test } from "vitest";
import { parseTime } from "./typed-time";

const clock = { zone: "Europe/Berlin", now: new Date("2026-11-22T12:30:00Z") };
const spanOf = async (text: string) => {
  const span = await parseTime(text, clock);
  return span && [span.from?.toISOString(), span.to?.toISOString()];
};
const day = (from: string, to: string) => [`${from}T23:00:00.000Z`, `${to}T22:59:59.999Z`];

test.each([
  ["last tuesday", day("2026-11-16", "2026-11-17")],
  ["18 Nov", day("2026-11-17", "2026-11-18")],
  ["oct 2026", ["2026-09-30T22:00:00.000Z", "2026-10-31T22:59:59.999Z"]],
  ["2026-10", ["2026-09-30T22:00:00.000Z", "2026-10-31T22:59:59.999Z"]],
  ["9-10", ["2026-11-22T08:00:00.000Z", "2026-11-22T08:59:59.999Z"]],
  ["last tuesday 9:30 to 10", ["2026-11-17T08:30:00.000Z", "2026-11-17T08:59:59.999Z"]],
  ["past two hours", ["2026-11-22T10:30:00.000Z", undefined]],
  ["past week", ["2026-11-15T12:30:00.000Z", undefined]],
  ["1795351800", ["2026-11-22T12:50:00.000Z", undefined]],
  ["18 Nov 14:00", ["2026-11-18T13:00:00.000Z", undefined]],
  ["1970", ["1970-01-01T00:00:00.000Z", "1970-12-31T22:59:59.999Z"]],
  ["9999w", ["1970-01-01T00:00:00.000Z", undefined]],
  ["18 nov 1960", null],
  ["soonish", null],
  ["2026-13-01", null],
  ["10-9", null],
])("%s is read by the reader's clock", async (text, expected) => {
  expect(await spanOf(text)).toEqual(expected);
});

test.each([
  ["monday", day("2026-11-15", "2026-11-16")],
  ["25 dec", day("2025-12-24", "2025-12-25")],
  ["october", ["2026-09-30T22:00:00.000Z", "2026-10-31T22:59:59.999Z"]],
  ["dec", ["2025-11-30T23:00:00.000Z", "2025-12-31T22:59:59.999Z"]],
  ["14:00", ["2026-11-21T13:00:00.000Z", undefined]],
  ["15-16", ["2026-11-21T14:00:00.000Z", "2026-11-21T14:59:59.999Z"]],
  ["tomorrow", day("2026-11-22", "2026-11-23")],
])("%s is the last one that has begun, unless it says otherwise", async (text, expected) => {
  expect(await spanOf(text)).toEqual(expected);
});

test.each([
  ["18-20 nov", day("2026-11-17", "2026-11-20")],
  ["october 9-10", ["2026-10-08T22:00:00.000Z", "2026-10-10T21:59:59.999Z"]],
  ["2026-11-18..2026-11-20", day("2026-11-17", "2026-11-20")],
  ["last weekend", day("2026-11-13", "2026-11-15")],
  ["9am-5pm", ["2026-11-22T08:00:00.000Z", "2026-11-22T15:59:59.999Z"]],
  ["22:00-02:00", ["2026-11-21T21:00:00.000Z", "2026-11-22T00:59:59.999Z"]],
  ["2026-10-25", ["2026-10-24T22:00:00.000Z", "2026-10-25T22:59:59.999Z"]],
])("%s ends with the last of what it names", async (text, expected) => {
  expect(await spanOf(text)).toEqual(expected);
});
