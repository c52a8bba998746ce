import { expect, it } from "vitest";
import { expiredText, shorterText, wouldRemove } from "./removal-text";

it("a preview promises removal only if pruning is on", () => {
  expect(wouldRemove(true)).toBe("The next run would remove");
  expect(wouldRemove(false)).toBe(
    "Nothing is removed while pruning is off in this installation. If it were on, the next run would remove",
  );
});

it("a shorter period deletes at the next run, or once pruning is on", () => {
  const text = (before: number | null, pruningEnabled: boolean) =>
    shorterText({ name: "Contoso", before, days: 1, pruningEnabled });
  expect(text(365, true)).toBe(
    "Contoso keeps 365 days now. With 1 day, older entries are deleted at the next run and cannot be restored.",
  );
  expect(text(null, true)).toBe(
    "Nothing of Contoso has been deleted so far. From now on, entries older than 1 day are deleted every day.",
  );
  for (const before of [365, null])
    expect(text(before, false)).toMatch(/ Once pruning is on, entries older than 1 day are deleted/);
});

it("counts entries to remove in singular and plural, and as a minimum if counting stopped", () => {
  const text = (rows: number, isAtLeast = false) =>
    expiredText({ rows, isAtLeast }, "diagnostic log entry", "diagnostic log entries");
  expect(text(1)).toBe("1 diagnostic log entry");
  expect(text(0)).toBe("0 diagnostic log entries");
  expect(text(100_000, true)).toBe("more than 100,000 diagnostic log entries");
});
