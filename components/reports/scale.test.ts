import { expect, test } from "vitest";
import { ticksFor } from "./chart";

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [2_600, [0, 1_000, 2_000, 3_000]],
  [48_112, [0, 20_000, 40_000, 60_000]],
])("the axis for %i has %j", (largest, ticks) => {
  expect(ticksFor(largest)).toEqual(ticks);
});
