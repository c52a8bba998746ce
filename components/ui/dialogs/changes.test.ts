import { expect, it } from "vitest";
import { changesOf } from "./changes";

const was = { role: "org_viewer", isActive: true, organizationIds: ["a", "b"] as string[] | null };

it("holds what was changed in a form and nothing else, so that what others changed meanwhile stays", () => {
  expect(changesOf(was, { ...was, role: "org_admin" })).toEqual({ role: "org_admin" });
  expect(changesOf(was, { ...was, organizationIds: null })).toEqual({ organizationIds: null });
  expect(changesOf(was, { ...was, isActive: false, organizationIds: ["a"] })).toEqual({
    isActive: false,
    organizationIds: ["a"],
  });
});

it("is null where nothing was changed, or changed back", () => {
  expect(changesOf(was, { ...was, organizationIds: ["a", "b"] })).toBeNull();
});
