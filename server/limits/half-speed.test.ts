import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { atHalfSpeed } from "./half-speed";

let now = 0;
const sleep = vi.hoisted(() => vi.fn(async (_ms: number) => {}));
vi.mock("node:timers/promises", () => ({ setTimeout: sleep }));

beforeEach(() => {
  now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => void vi.restoreAllMocks());

it.each([
  [12, 12],
  [4_000, 50],
])("rests after work of %i ms for %i", async (took, rest) => {
  const work = async () => {
    now += took;
    return "done";
  };
  expect(await atHalfSpeed(work, () => true)).toBe("done");
  expect(sleep).toHaveBeenLastCalledWith(rest);
});

it("rests for nobody", async () => {
  sleep.mockClear();
  const work = async () => {
    now += 12;
  };
  await atHalfSpeed(work, () => false);
  expect(sleep).not.toHaveBeenCalled();
});
