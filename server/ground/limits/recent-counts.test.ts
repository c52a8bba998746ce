import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RecentCounts } from "./recent-counts";

let now = 0;
beforeEach(() => {
  now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => void vi.restoreAllMocks());

it("counts each caller's of this second and the one before", () => {
  const recent = new RecentCounts();
  for (let i = 0; i < 20; i++) recent.note("a");
  recent.note("b");
  expect([recent.of("a"), recent.of("b"), recent.of("c")]).toEqual([20, 1, 0]);
  now = 1_500;
  recent.note("a");
  expect([recent.of("a"), recent.of("b")]).toEqual([21, 1]);
  now = 2_100;
  expect([recent.of("a"), recent.of("b")]).toEqual([1, 0]);
  now = 4_000;
  expect(recent.of("a")).toBe(0);
});

it("remembers a thousand callers, first those of whom something counts", () => {
  const recent = new RecentCounts();
  for (let i = 0; i < 999; i++) recent.note(`old ${i}`);
  now = 5_000;
  recent.note("here");
  recent.note("new");
  expect([recent.size, recent.of("here"), recent.of("new")]).toEqual([2, 1, 1]);
  for (let i = 0; i < 5_000; i++) recent.note(`flood ${i}`);
  expect(recent.size).toBeLessThanOrEqual(1_000);
});
