import { expect, it } from "vitest";
import { emptyTally } from "@/server/custom-fields/import/decide/tally";
import { newValueText, notReachedOf, sentenceOf } from "./sentence";

const FIELD = "11111111-1111-4111-8111-111111111111";
const tallyOf = (matched: number, notFound: number) => {
  const tally = emptyTally([{ fieldId: FIELD }]);
  tally.rows.matched_hostname = matched;
  tally.rows.not_found = notFound;
  if (tally.fields[0]) tally.fields[0].set = matched;
  return tally;
};
const run = { startedAt: "2026-11-27T00:00:00.000Z", totalRows: 12_000 };

it("reports how many rows a run that ended early did not reach", () => {
  const report = tallyOf(1_200, 500);
  expect(notReachedOf(report, run.totalRows)).toBe(10_300);
  expect(sentenceOf({ ...run, job: null }, report)).toBe(
    "1,200 of the 1,700 rows that were reached match exactly one device. 1,200 values were written. 10,300 rows were not reached.",
  );
});

it("a finished run reports what was written, a check what would be written", () => {
  expect(sentenceOf({ ...run, job: null }, tallyOf(11_999, 1))).toBe(
    "11,999 of 12,000 rows match exactly one device. 11,999 values were written.",
  );
  expect(sentenceOf({ ...run, startedAt: null, job: null }, tallyOf(1, 11_999))).toBe(
    "1 of 12,000 rows matches exactly one device. 1 value would be written. Nothing is written yet.",
  );
});

it.each([
  ["kept", { applied: true, isUndone: false }, "left alone"],
  ["set", { applied: null, isUndone: false }, "would be written"],
  ["set", { applied: true, isUndone: false }, "written"],
  ["clear", { applied: true, isUndone: true }, "written before the undo"],
  ["set", { applied: false, isUndone: false }, "not written"],
  ["overwrite", { applied: false, isUndone: true }, "not written"],
] as const)("labels the new value for %s, %j, as %s", (outcome, state, text) =>
  expect(newValueText(outcome, state)).toBe(text),
);
