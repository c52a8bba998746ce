import { expect, it } from "vitest";
import { isHeadAlone } from "./integrity-page";

const HEAD = { seq: 9, checksum: "a" };
const alarm = (source: "head" | "nightly", ...kinds: ("truncated" | "altered")[]) => ({
  at: "2026-11-01T10:00:00.000Z",
  source,
  breaks: kinds.map((kind) => ({ seq: 7, id: "", kind, expected: "a", actual: "b" })),
});

it("a chain has only a lost head as long as no entry was found altered", () => {
  expect(isHeadAlone({ head: HEAD, alarm: alarm("head", "truncated") })).toBe(true);
  expect(isHeadAlone({ head: null, alarm: alarm("nightly", "truncated") })).toBe(true);
  expect(isHeadAlone({ head: HEAD, alarm: alarm("head", "altered", "truncated") })).toBe(false);
  expect(isHeadAlone({ head: null, alarm: alarm("nightly", "altered", "truncated") })).toBe(false);
  expect(isHeadAlone({ head: HEAD, alarm: alarm("nightly", "truncated") })).toBe(false);
  expect(isHeadAlone({ head: HEAD, alarm: null })).toBe(false);
});
