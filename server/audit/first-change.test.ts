import { expect, test } from "vitest";
import { firstChange } from "./first-change";

test("shows the first changed member with its old and new value", () => {
  expect(firstChange({ before: { antivirus: "enabled" }, after: { antivirus: "disabled" } })).toBe(
    "antivirus: enabled → disabled",
  );
  expect(firstChange({ before: { role: "org_viewer" }, after: { role: "org_admin" } })).toBe(
    "role: org viewer → org admin",
  );
  expect(firstChange({ before: { retentionDays: 365 }, after: { retentionDays: 90 } })).toBe(
    "retention days: 365 → 90",
  );
});

test("counts further changes and ignores equal members", () => {
  const before = { name: "Backup", schedule: { hour: 2, enabled: true }, tags: [] };
  const after = { name: "Backup", schedule: { hour: 3, enabled: false }, tags: ["nightly"] };
  expect(firstChange({ before, after })).toBe("hour: 2 → 3 +2");
});

test("shows added and removed values, and truncates long ones", () => {
  expect(firstChange({ before: { site: null }, after: { site: "Warehouse" } })).toBe("site: none → Warehouse");
  expect(firstChange({ before: { note: "x".repeat(60) }, after: {} })).toBe(`note: ${"x".repeat(40)}… → none`);
});

test("returns null without before and after states or a one-line difference", () => {
  expect(firstChange({})).toBeNull();
  expect(firstChange({ before: null, after: { name: "Backup" } })).toBeNull();
  expect(firstChange({ before: { rows: [{ id: 1 }] }, after: { rows: [{ id: 2 }] } })).toBeNull();
  expect(firstChange({ before: { a: 1 }, after: { a: 1 } })).toBeNull();
});
