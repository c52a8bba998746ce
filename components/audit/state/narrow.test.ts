import { expect, test } from "vitest";
import { clearFilter, exclude, excluding, hideRoutine, include, setFilter, toggleValue } from "./narrow";
import { exclusionsOf, hidesRoutine, loadView, type View } from "./view";

const NOTHING = loadView(new URLSearchParams());
const view = (part: Partial<View>): View => ({ ...NOTHING, ...part });
const ID = "0190a000-0000-7000-8000-000000000001";

test("exclusions round-trip through the URL without duplicates", () => {
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

test("a value may contain a colon, and invalid exclusions are dropped", () => {
  expect(exclusionsOf({ exclude: "ip:2001:db8::1,odd:thing,result:" })).toEqual([{ name: "ip", value: "2001:db8::1" }]);
});

test("an actor is filtered by id, by raw id, or by type", () => {
  expect(setFilter("actorId", ID)).toMatchObject({ actorId: ID, rawActorId: null });
  expect(setFilter("actorId", "bot-7")).toMatchObject({ actorId: null, rawActorId: "bot-7" });
  expect(setFilter("actorId", "system")).toMatchObject({ actorId: null, actorType: "system" });
  expect(clearFilter("actorId")).toMatchObject({ actorId: null, rawActorId: null });
  expect(exclude(NOTHING, "actorId", "bot-7")).toMatchObject({ exclude: "actorId:bot-7" });
  expect(exclude(NOTHING, "actorId", "system")).toMatchObject({ exclude: "actorType:system" });
});

test("values of one filter accumulate, and an actor of another kind replaces the selected ones", () => {
  const jane = view(toggleValue(NOTHING, "actorId", ID));
  const other = ID.replace("1", "2");
  expect(toggleValue(jane, "actorId", other)).toMatchObject({ actorId: `${ID},${other}` });
  expect(toggleValue(jane, "actorId", "system")).toMatchObject({ actorId: null, actorType: "system" });
  const bot = view({ ...jane, ...toggleValue(jane, "actorId", "bot-7") });
  expect(bot).toMatchObject({ actorId: null, rawActorId: "bot-7" });
  expect(toggleValue(bot, "actorId", ID)).toMatchObject({ actorId: ID, rawActorId: null });
  expect(toggleValue(bot, "actorId", "bot-7")).toMatchObject({ rawActorId: null });
});

test("hiding and showing routine telemetry keeps other exclusions", () => {
  const hidden = view(hideRoutine(view({ exclude: "result:denied" }), true));
  expect(hidesRoutine(hidden)).toBe(true);
  expect(hideRoutine(hidden, false)).toMatchObject({ exclude: "result:denied", excludeActions: null });
});
