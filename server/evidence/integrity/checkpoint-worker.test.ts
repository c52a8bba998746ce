import { expect, it } from "vitest";
import { isDue } from "./checkpoint-worker";

const NOW = Date.UTC(2026, 10, 20, 12);
const ago = (seconds: number) => NOW - seconds * 1_000;

it.for<[string, number, { size: number; at: number }, boolean]>([
  ["an unchanged head", 500, { size: 500, at: ago(86_400) }, false],
  ["a head moved by one entry, 59 seconds after the last checkpoint", 501, { size: 500, at: ago(59) }, false],
  ["a head moved by one entry, a minute after it", 501, { size: 500, at: ago(60) }, true],
  ["a head moved by 999 entries at once", 1_499, { size: 500, at: ago(1) }, false],
  ["a head moved by a thousand", 1_500, { size: 500, at: ago(1) }, true],
  ["a chain that was never signed", 0, { size: -1, at: 0 }, true],
])("%s is signed only when due", ([_, seq, signed, due]) => {
  for (const lacksQuorum of [false, true]) {
    const isIdle = seq === signed.size;
    expect(isDue({ seq }, { ...signed, lacksQuorum: lacksQuorum && !isIdle }, NOW)).toBe(due);
  }
});

it("shows an unchanged head to witnesses every ten minutes until they meet the quorum", () => {
  const due = (seconds: number, lacksQuorum: boolean) =>
    isDue({ seq: 500 }, { size: 500, at: ago(seconds), lacksQuorum }, NOW);
  expect([due(599, true), due(600, true), due(86_400, false)]).toEqual([false, true, false]);
});
