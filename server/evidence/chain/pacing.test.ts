import { expect, it } from "vitest";
import { pacing } from "./pacing";

type Turn<T> = (turn: number) => T;

/** A reading of so many turns of 12 ms each, and in which of them it stopped for others. */
async function read(turns: number, written: Turn<string | null>, asked: Turn<boolean> = () => false) {
  let at = 0;
  let turn = 0;
  const ready = pacing({ written: async () => written(turn), asked: () => asked(turn), now: () => at });
  const stops: boolean[] = [];
  for (; turn < turns; turn++) {
    at += 12;
    const wait = ready();
    stops.push(wait !== null);
    await (wait ?? Promise.resolve());
    await Promise.resolve();
  }
  return stops;
}

it("stops for writers at first, and continues at full speed once no one writes", async () => {
  const stops = await read(20, () => "7");
  expect(stops.slice(0, 4)).toEqual([true, true, true, true]);
  expect(new Set(stops.slice(6))).toEqual(new Set([false]));
});

it("stops again soon after someone writes", async () => {
  const stops = await read(40, (turn) => String(turn < 20 ? 7 : turn));
  expect(stops[19]).toBe(false);
  expect(new Set(stops.slice(26))).toEqual(new Set([true]));
});

it("stops all the while someone writes, and where no one can tell", async () => {
  expect(new Set(await read(20, String))).toEqual(new Set([true]));
  expect(new Set(await read(20, () => null))).toEqual(new Set([true]));
});

it("stops while someone asks for something that writes nothing", async () => {
  const stops = await read(
    40,
    () => "7",
    (turn) => turn >= 15 && turn < 25,
  );
  expect(stops.slice(10, 30)).toEqual(Array.from({ length: 20 }, (_, i) => i >= 5 && i < 15));
});
