import { expect, it } from "vitest";
import { Growth } from "./batch-writer";

it("little never grows; much grows until it becomes less", () => {
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

it("much that was there at the first look is taken to grow until a second look", () => {
  const growth = new Growth();
  expect(growth.isGrowing(200_000, 0)).toBe(true);
  expect(growth.isGrowing(190_000, 999)).toBe(true);
  expect(growth.isGrowing(190_000, 1_000)).toBe(false);
});
