import { beforeEach, expect, it, vi } from "vitest";
import { rest } from "./rest";

const sleep = vi.hoisted(() => vi.fn(async (_ms: number) => {}));
vi.mock("node:timers/promises", () => ({ setTimeout: sleep }));

beforeEach(() => void sleep.mockClear());

it.each([
  [12, 1, 12],
  [12, 4, 48],
  [4_000, 1, 50],
  [4_000, 8, 400],
])("rests after work of %i ms %i times as long: %i", async (workedMs, times, ms) => {
  await rest(workedMs, times);
  expect(sleep).toHaveBeenCalledExactlyOnceWith(ms);
});

it("rests for no one", async () => {
  await rest(12, 0);
  await rest(12, -1);
  expect(sleep).not.toHaveBeenCalled();
});
