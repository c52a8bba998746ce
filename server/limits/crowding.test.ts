import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Crowding } from "./crowding";

let now = 0;
beforeEach(() => {
  now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => void vi.restoreAllMocks());

it("counts each caller's of this second and the one before", () => {
  const crowding = new Crowding();
  for (let i = 0; i < 20; i++) crowding.note("a");
  crowding.note("b");
  expect([crowding.of("a"), crowding.of("b"), crowding.of("c")]).toEqual([20, 1, 0]);
  now = 1_500;
  crowding.note("a");
  expect([crowding.of("a"), crowding.of("b")]).toEqual([21, 1]);
  now = 2_100;
  expect([crowding.of("a"), crowding.of("b")]).toEqual([1, 0]);
  now = 4_000;
  expect(crowding.of("a")).toBe(0);
});

it("remembers a thousand callers, first those of whom something counts", () => {
  const crowding = new Crowding();
  for (let i = 0; i < 999; i++) crowding.note(`old ${i}`);
  now = 5_000;
  crowding.note("here");
  crowding.note("new");
  expect([crowding.size, crowding.of("here"), crowding.of("new")]).toEqual([2, 1, 1]);
  for (let i = 0; i < 5_000; i++) crowding.note(`flood ${i}`);
  expect(crowding.size).toBeLessThanOrEqual(1_000);
});
