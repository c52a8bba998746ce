import { expect, test } from "vitest";
import { loadView, type View } from "@/components/audit/state/view";
import { BUILT_IN, isNarrowed, isShown, toChange, toQuery, updatedQuery } from "./view-query";

const NOTHING = loadView(new URLSearchParams());
const shown = (over: Partial<View>): View => ({ ...NOTHING, ...over });

test("a view contains the filters in the URL, but not the position in the list", () => {
  const view = shown({
    action: "user.login",
    result: "denied",
    cursor: "abc",
    orgId: crypto.randomUUID(),
    range: "7d",
  });
  expect(toQuery(view, false)).toBe("action=user.login&result=denied");
  expect(toQuery(view, true)).toBe("action=user.login&result=denied&range=7d");
});

test("applying a view sets its filters, clears the others and returns to the first page", () => {
  const change = toChange("result=denied");
  expect(change).toMatchObject({ result: "denied", action: null, user: null, cursor: null, row: null });
  expect(change).not.toHaveProperty("range");
});

test("a range is replaced only by a view with its own range", () => {
  expect(toChange("result=denied&range=24h")).toMatchObject({ range: "24h", from: null, to: null });
});

test("unknown filters and invalid values are dropped", () => {
  expect(toChange("result=often&surprise=1&row=x")).toMatchObject({ result: null, row: null });
  expect(toChange("surprise=1")).not.toHaveProperty("surprise");
});

test("a view is current by its filters alone, unless it has a range", () => {
  const view = shown({ result: "denied", range: "7d" });
  expect(isShown(view, "result=denied")).toBe(true);
  expect(isShown(view, "result=denied&range=7d")).toBe(true);
  expect(isShown(view, "result=denied&range=24h")).toBe(false);
  expect(isShown(view, "")).toBe(false);
  expect(isShown(shown({ ...view, user: "jane" }), "result=denied")).toBe(false);
});

test("a saved view is current once it is applied", () => {
  const view = shown({ q: "front & back", excludeActions: "a,b", from: new Date("2026-11-01T10:00:00Z") });
  const query = toQuery(view, true);
  expect(isShown(view, query)).toBe(true);
  expect(toChange(query)).toMatchObject({
    q: "front & back",
    excludeActions: "a,b",
    from: new Date("2026-11-01T10:00:00Z"),
  });
});

test("an updated view keeps a range only if it had one or there is no filter", () => {
  const view = shown({ result: "denied", range: "7d" });
  expect(updatedQuery(view, "action=user.login")).toBe("result=denied");
  expect(updatedQuery(view, "range=24h")).toBe("result=denied&range=7d");
  expect(updatedQuery(shown({ range: "7d" }), "result=denied")).toBe("range=7d");
});

test("every built-in view has a filter", () => {
  for (const { query } of BUILT_IN) expect(isNarrowed(shown(toChange(query)))).toBe(true);
});
