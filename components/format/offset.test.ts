import { expect, test } from "vitest";
import { offset } from "./offset";

const FROM = "2026-11-20T10:00:00.000Z";

test.each([
  ["2026-11-20T10:00:00.000Z", "same instant"],
  ["2026-11-20T10:04:02.500Z", "4 min 2 s after"],
  ["2026-11-20T09:59:59.970Z", "30 ms before"],
  ["2026-11-20T09:59:58.970Z", "1 s before"],
  ["2026-11-20T11:00:00.000Z", "1 h after"],
  ["2026-11-25T03:44:00.000Z", "4 d 17 h after"],
])("%s", (at, words) => {
  expect(offset(at, FROM)).toBe(words);
});
