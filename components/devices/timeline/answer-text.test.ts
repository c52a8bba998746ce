import { expect, it } from "vitest";
import type { LiveItem } from "./merge-live";
import { answerText } from "./merge-live";

type Answer = Parameters<typeof answerText>[0];
const text = (events: number, logs: Answer["logs"], logCount = logs.length) =>
  answerText(
    { items: Array.from({ length: events }, () => ({}) as LiveItem), logs, logCount },
    { hasEnd: false, at: (iso) => iso.slice(0, 10) },
  );
const log = (name: string, searched?: Answer["logs"][number]["searched"]) => ({ name, searched });

it("names the logs read and the limit per log, even without results", () => {
  expect(text(1, [log("System")])).toBe("1 event from the newest 50 of System.");
  expect(text(12, [log("System"), log("Security")])).toBe("12 events from the newest 50 of each of System, Security.");
  expect(text(0, [log("System"), log("Security")])).toBe("No events in this range in System, Security.");
  expect(text(0, [])).toBe("The device reports no logs.");
});

it("says that the device has more logs, and which were only partly searched", () => {
  expect(
    text(
      2,
      ["System", "Security", "Setup"].map((name) => log(name)),
      14,
    ),
  ).toBe(
    "2 events from the newest 50 of each of System, Security, Setup. " +
      "These are the 3 of its 14 logs that were written to last.",
  );
  expect(text(0, [log("journal", { entries: 100_000 }), log("auth", { matches: 100 })])).toBe(
    "No events in this range in journal, auth. Searched only in part: the newest 100,000 entries of journal.",
  );
});
