import { expect, test } from "vitest";
import { loadView, type View } from "./address";
import { clearFilter, exclude, excluding, exclusionsOf, hideRoutine, hidesRoutine, include, setFilter } from "./narrow";

const NOTHING = loadView(new URLSearchParams());
const view = (part: Partial<View>): View => ({ ...NOTHING, ...part });
const ID = "0190a000-0000-7000-8000-000000000001";

test("what is excluded goes into the address and comes back, each once", () => {
  const change = exclude(view({ excludeActions: "user.login" }), "result", "success");
  expect(change).toEqual({ excludeActions: "user.login", exclude: "result:success", cursor: null, row: null });
  expect(exclude(view(change), "result", "success")).toEqual(change);
  expect(exclusionsOf(change)).toEqual([
    { name: "actions", value: "user.login" },
    { name: "result", value: "success" },
  ]);
  expect(include(view(change), [{ name: "actions", value: "user.login" }])).toMatchObject({
    excludeActions: null,
    exclude: "result:success",
  });
  expect(excluding([])).toEqual({ exclude: null, excludeActions: null });
});

test("a value with a colon keeps it, and what no filter excludes is none", () => {
  expect(exclusionsOf({ exclude: "ip:2001:db8::1,odd:thing,result:" })).toEqual([{ name: "ip", value: "2001:db8::1" }]);
});

test("excluding what was the only value ends the narrowing to it", () => {
  const narrowed = view(setFilter("actions", "user.login"));
  expect(exclude(narrowed, "actions", "user.login")).toMatchObject({ actions: null, excludeActions: "user.login" });
});

test("an actor is filtered by its id, by the id that it was recorded with, or by its type", () => {
  expect(setFilter("actorId", ID)).toMatchObject({ actorId: ID, rawActorId: null });
  expect(setFilter("actorId", "bot-7")).toMatchObject({ actorId: null, rawActorId: "bot-7" });
  expect(setFilter("actorId", "system")).toMatchObject({ actorId: null, actorType: "system" });
  expect(clearFilter("actorId")).toMatchObject({ actorId: null, rawActorId: null });
  expect(exclude(NOTHING, "actorId", "bot-7")).toMatchObject({ exclude: "actorId:bot-7" });
  expect(exclude(NOTHING, "actorId", "system")).toMatchObject({ exclude: "actorType:system" });
});

test("routine telemetry hides beside other exclusions and comes back alone", () => {
  const hidden = view(hideRoutine(view({ exclude: "result:denied" }), true));
  expect(hidesRoutine(hidden)).toBe(true);
  expect(hideRoutine(hidden, false)).toMatchObject({ exclude: "result:denied", excludeActions: null });
});
