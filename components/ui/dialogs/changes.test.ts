import { expect, it } from "vitest";
import { changesOf } from "./use-form";

const was = { role: "org_viewer", isActive: true, organizationIds: ["a", "b"] as string[] | null };

it("contains only changed members, so that concurrent changes of others are kept", () => {
  expect(changesOf(was, { ...was, role: "org_admin" })).toEqual({ role: "org_admin" });
  expect(changesOf(was, { ...was, organizationIds: null })).toEqual({ organizationIds: null });
  expect(changesOf(was, { ...was, isActive: false, organizationIds: ["a"] })).toEqual({
    isActive: false,
    organizationIds: ["a"],
  });
});

it("no changed member gives null, even after changing it back", () => {
  expect(changesOf(was, { ...was, organizationIds: ["a", "b"] })).toBeNull();
});
