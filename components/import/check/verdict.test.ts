import { expect, it } from "vitest";
import { verdictOf } from "./report-step";

const field = { set: 3, overwrite: 0, clear: 0, same: 0, kept: 0, invalid: 0, left_out: 0, empty: 0, none: 0 };
const report = { fields: [{ fieldId: "1", ...field }] };
const undo = { restored: 2, leftAlone: 0, sourceIdsRemoved: 1 };
const ended = (status: "done" | "cancelled" | "undone", more: { error?: string; undo?: typeof undo } = {}) =>
  verdictOf({ status, error: more.error ?? null, summary: more.undo ? { undo: more.undo } : {} }, report);

it("calls an import complete only if it reached its last row and nothing was undone", () => {
  expect(ended("done").text).toBe("The import is complete.");
  expect(ended("done", { undo }).text).toBe(
    "The undo ended before its last row: 2 values were restored, 1 source ID was removed. Undo again to restore the rest.",
  );
  expect(ended("cancelled", { undo })).toEqual(ended("done", { undo }));
  expect(ended("undone", { undo }).text).toBe(
    "This import was undone: 2 values were restored, 1 source ID was removed. The fields stay.",
  );
});

it("calls an import canceled only if a person canceled it", () => {
  const kept = "What it had written is kept, and can be undone.";
  expect(ended("cancelled").text).toBe(`This import was cancelled before its end. ${kept}`);
  expect(ended("cancelled", { error: "Rack was deleted." }).text).toBe(
    `This import ended before its last row. ${kept}`,
  );
});

it("reports how many values an undo left unchanged", () => {
  expect(ended("undone", { undo: { ...undo, leftAlone: 2, sourceIdsRemoved: 0 } }).text).toBe(
    "This import was undone: 2 values were restored, 2 were left alone because they have been changed since. The fields stay.",
  );
});
