import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HeldRefusals, MAX_HELD } from "./held-refusals";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Refusals of a caller; how many of them were answered by now. */
function refuse(held: HeldRefusals, key: string, count: number) {
  let answered = 0;
  const all = Array.from({ length: count }, () => held.hold(key));
  for (const { over } of all)
    void over.then(() => {
      answered++;
    });
  return { answered: () => answered, all };
}

it("answers one refusal soon, and two hundred of one caller at its pace", async () => {
  const held = new HeldRefusals();
  const [one, many] = [refuse(held, "one", 1), refuse(held, "many", 200)];
  await vi.advanceTimersByTimeAsync(15);
  expect([one.answered(), many.answered()]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(485);
  expect(many.answered()).toBe(33);
  await vi.advanceTimersByTimeAsync(500);
  expect(many.answered()).toBe(200);
  expect(held.state).toEqual({ held: 0, callers: 0 });
});

it("refuses a caller who comes back at once eighty times a second, whatever it has in flight", async () => {
  const held = new HeldRefusals();
  let refused = 0;
  const comeBack = async (): Promise<never> => {
    for (;;) {
      await held.hold("flood").over;
      refused++;
    }
  };
  for (let n = 0; n < 72; n++) void comeBack();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(refused).toBeGreaterThan(600);
  expect(refused).toBeLessThan(800);
});

it("forgets whoever goes away", () => {
  const held = new HeldRefusals();
  const { all } = refuse(held, "gone", 100);
  for (const { letGo } of [...all, ...all]) letGo();
  expect([held.state, vi.getTimerCount()]).toEqual([{ held: 0, callers: 0 }, 0]);
});

it("holds a thousand at most, and none once the server stops", async () => {
  const held = new HeldRefusals();
  const { answered } = refuse(held, "flood", MAX_HELD + 50);
  await vi.advanceTimersByTimeAsync(0);
  expect([answered(), held.state.held]).toEqual([50, MAX_HELD]);
  held.end();
  const later = refuse(held, "flood", 1);
  await vi.advanceTimersByTimeAsync(0);
  expect([answered(), later.answered(), held.state.held]).toEqual([MAX_HELD + 50, 1, 0]);
});
