import { expect, test } from "vitest";
import { changesBetween, unchangedMembers } from "./changes";

test("reports added, removed and changed members with their path", () => {
  const before = { name: "WS-042", site: "Berlin", tags: { rack: 1, floor: 2 } };
  const after = { name: "WS-042", owner: "Jane", tags: { rack: 3, floor: 2 } };
  expect(changesBetween(before, after)).toEqual([
    { kind: "removed", path: "site", before: "Berlin" },
    { kind: "changed", path: "tags.rack", before: 1, after: 3 },
    { kind: "added", path: "owner", after: "Jane" },
  ]);
  expect(unchangedMembers(before, after)).toEqual([["name", "WS-042"]]);
});

test("names list items by index", () => {
  expect(changesBetween({ roles: ["a", "b"] }, { roles: ["a", "c"] })).toEqual(
    expect.arrayContaining([
      { kind: "added", path: "roles[1]", after: "c" },
      { kind: "removed", path: "roles[1]", before: "b" },
    ]),
  );
});

test("equal states have no difference", () => {
  expect(changesBetween({ a: 1 }, { a: 1 })).toEqual([]);
});
