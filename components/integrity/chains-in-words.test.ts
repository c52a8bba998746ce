import { expect, it } from "vitest";
import { ofAll } from "./chains-in-words";

const counts = (broken: number, unproven: number, unchecked: number, intact: number, empty = 0) => [
  { status: "broken" as const, count: broken },
  { status: "unproven" as const, count: unproven },
  { status: "not_checked" as const, count: unchecked },
  { status: "intact" as const, count: intact },
  { status: "empty" as const, count: empty },
];

it("says the worst state of all chains and how many are in it", () => {
  expect(ofAll(counts(0, 0, 0, 5, 1), 0)).toEqual({
    state: "intact",
    word: "All 5 intact",
    sentence: "Audit chains: 5 intact, 1 without entries",
  });
  expect(ofAll(counts(0, 2, 0, 3), 0)).toMatchObject({ state: "unproven", word: "2 not proven" });
  expect(ofAll(counts(0, 0, 1, 3), 0)).toMatchObject({ state: "unproven", word: "1 not checked" });
  expect(ofAll(counts(1, 2, 0, 1_200), 0)).toEqual({
    state: "broken",
    word: "1 broken",
    sentence: "Audit chains: 1 broken, 2 not proven, 1,200 intact",
  });
});

it("takes an alarm for a broken chain before the counts are asked for again, and claims nothing that is not known", () => {
  expect(ofAll(counts(0, 0, 0, 5), 1)).toEqual({
    state: "broken",
    word: "1 broken",
    sentence: "Audit chains: 1 broken",
  });
  expect(ofAll([], 2)).toMatchObject({ word: "2 broken" });
  expect(ofAll([], 0)).toMatchObject({ state: "unknown", sentence: "Not known yet" });
  expect(ofAll(counts(0, 0, 0, 0, 3), 0)).toMatchObject({
    state: "unknown",
    sentence: "No organization has entries yet",
  });
});
