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
  await vi.advanceTimersByTimeAsync(20);
  expect([one.answered(), many.answered()]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(480);
  expect(many.answered()).toBe(25);
  await vi.advanceTimersByTimeAsync(3_500);
  expect(many.answered()).toBe(200);
  expect(held.state).toEqual({ held: 0, callers: 0 });
});

it.each([72, 200])(
  "refuses a caller who comes back at once fifty times a second, with %i in flight",
  async (inFlight) => {
    const held = new HeldRefusals();
    let refused = 0;
    const comeBack = async (): Promise<never> => {
      for (;;) {
        await held.hold("flood").over;
        refused++;
      }
    };
    for (let n = 0; n < inFlight; n++) void comeBack();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(refused).toBeGreaterThan(450);
    expect(refused).toBeLessThan(550);
  },
);

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
