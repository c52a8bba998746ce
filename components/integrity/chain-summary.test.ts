import { expect, it } from "vitest";
import { summaryOfAll, unread } from "./integrity-badge";

const STATUSES = ["broken", "unproven", "not_checked", "intact", "empty"] as const;
const counts = (chains: Partial<Record<(typeof STATUSES)[number], number>>) =>
  STATUSES.map((status) => ({ status, count: chains[status] ?? 0 }));

const words = (chains: Parameters<typeof counts>[0], alarms = 0) =>
  Object.values(summaryOfAll(counts(chains), alarms)).join("; ");

it.for([
  [{ intact: 5, empty: 1 }, 0, "intact; All 5 intact; Audit chains: 5 intact, 1 without entries"],
  [{ unproven: 2, intact: 3 }, 0, "unproven; 2 not proven; Audit chains: 2 not proven, 3 intact"],
  [{ not_checked: 1, intact: 3 }, 0, "unproven; 1 not checked; Audit chains: 1 not checked, 3 intact"],
  [
    { broken: 1, unproven: 2, intact: 1_200 },
    0,
    "broken; 1 broken; Audit chains: 1 broken, 2 not proven, 1,200 intact",
  ],
  // An alarm is a broken chain before the counts are refreshed.
  [{ intact: 5 }, 1, "broken; 1 broken; Audit chains: 1 broken"],
  [{ empty: 3 }, 0, "unknown; Integrity; No organization has entries yet"],
] as const)("names the worst state of all chains and its count: %j, %i alarms", ([chains, alarms, text]) =>
  expect(words(chains, alarms)).toBe(text),
);

it("claims nothing before the first reading but alarms", () => {
  expect(summaryOfAll([], 2)).toMatchObject({ word: "2 broken" });
  expect(summaryOfAll([], 0)).toMatchObject({ state: "unknown", sentence: "Not known yet" });
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
