import { expect, it } from "vitest";
import { summaryOfAll, unread } from "./integrity-badge";

const STATUSES = ["broken", "unproven", "not_checked", "intact", "empty"] as const;
const counts = (chains: Partial<Record<(typeof STATUSES)[number], number>>) =>
  STATUSES.map((status) => ({ status, count: chains[status] ?? 0 }));

it("names the worst state of all chains and its count", () => {
  expect(summaryOfAll(counts({ intact: 5, empty: 1 }), 0)).toEqual({
    state: "intact",
    word: "All 5 intact",
    sentence: "Audit chains: 5 intact, 1 without entries",
  });
  expect(summaryOfAll(counts({ unproven: 2, intact: 3 }), 0)).toMatchObject({
    state: "unproven",
    word: "2 not proven",
  });
  expect(summaryOfAll(counts({ not_checked: 1, intact: 3 }), 0)).toMatchObject({
    state: "unproven",
    word: "1 not checked",
  });
  expect(summaryOfAll(counts({ broken: 1, unproven: 2, intact: 1_200 }), 0)).toEqual({
    state: "broken",
    word: "1 broken",
    sentence: "Audit chains: 1 broken, 2 not proven, 1,200 intact",
  });
});

it("treats an alarm as a broken chain before the counts are refreshed, and claims nothing unknown", () => {
  expect(summaryOfAll(counts({ intact: 5 }), 1)).toEqual({
    state: "broken",
    word: "1 broken",
    sentence: "Audit chains: 1 broken",
  });
  expect(summaryOfAll([], 2)).toMatchObject({ word: "2 broken" });
  expect(summaryOfAll([], 0)).toMatchObject({ state: "unknown", sentence: "Not known yet" });
  expect(summaryOfAll(counts({ empty: 3 }), 0)).toMatchObject({
    state: "unknown",
    sentence: "No organization has entries yet",
  });
});

it("the badge is unknown once the state cannot be read, unless it was broken", () => {
  const now = { reason: "The server could not be reached.", readAt: "20 Nov 2026, 14:02:31" };
  expect(unread(summaryOfAll(counts({ intact: 5 }), 0), now)).toEqual({
    state: "unknown",
    word: "Not known",
    sentence:
      "The state of the audit chain could not be read. The server could not be reached. Last read on 20 Nov 2026, 14:02:31: Audit chains: 5 intact.",
  });
  expect(unread(summaryOfAll([], 0), now)).toMatchObject({
    word: "Not known",
    sentence: "The state of the audit chain could not be read. The server could not be reached.",
  });
  expect(unread(summaryOfAll(counts({ intact: 5 }), 0), { ...now, readAt: null }).sentence).not.toContain("Last read");
  const broken = summaryOfAll(counts({ broken: 1, intact: 5 }), 1);
  expect(unread(broken, now)).toBe(broken);
});
