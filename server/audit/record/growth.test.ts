import { expect, it } from "vitest";
import { Growth } from "./batch-writer";

it("a small queue never counts as growing; a large one does until it shrinks", () => {
  const growth = new Growth();
  const looks: [waiting: number, seconds: number, isGrowing: boolean][] = [
    [49_999, 0, false],
    [50_000, 1, true],
    [60_000, 2, true],
    [60_000, 3, true],
    [59_000, 4, false],
    [58_000, 5, false],
    [58_500, 6, true],
    [49_000, 7, false],
  ];
  for (const [waiting, seconds, isGrowing] of looks) expect(growth.isGrowing(waiting, seconds * 1_000)).toBe(isGrowing);
});

it("a queue that starts large counts as growing until the next check", () => {
  const growth = new Growth();
  expect(growth.isGrowing(200_000, 0)).toBe(true);
  expect(growth.isGrowing(190_000, 999)).toBe(true);
  expect(growth.isGrowing(190_000, 1_000)).toBe(false);
});
