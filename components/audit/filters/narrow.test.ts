import { expect, test } from "vitest";
import type { View } from "./filters";
import { excludeInput, exclusionsOf, hideRoutine, hidesRoutine, leaveOut, letIn, only, toWithout } from "./narrow";

const view = (part: Partial<View>): View => part as View;

test("what is left out goes into the address and comes back, each once", () => {
  const change = leaveOut(view({ without: "user.login" }), "result", "success");
  expect(change).toEqual({ without: "user.login,result:success", cursor: null, row: null });
  expect(leaveOut(view(change), "result", "success").without).toBe(change.without);
  expect(exclusionsOf(change.without as string)).toEqual([
    { field: "action", value: "user.login" },
    { field: "result", value: "success" },
  ]);
  expect(letIn(view(change), [{ field: "action", value: "user.login" }]).without).toBe("result:success");
  expect(toWithout([])).toBeNull();
});

test("a value with a colon keeps it, and an unknown field is part of an action's name", () => {
  expect(exclusionsOf("ip:2001:db8::1,odd:thing")).toEqual([
    { field: "ip", value: "2001:db8::1" },
    { field: "action", value: "odd:thing" },
  ]);
});

test("the wire gets actions and other fields apart, by its own names", () => {
  expect(excludeInput("user.login,type:agent,org:1")).toEqual({
    excludeActions: ["user.login"],
    exclude: ["actorType:agent", "orgId:1"],
  });
  expect(excludeInput(null)).toEqual({});
});

test("leaving out what was the only value ends the narrowing to it", () => {
  const narrowed = view(only("action", "user.login"));
  expect(leaveOut(narrowed, "action", "user.login")).toMatchObject({ actions: null, without: "user.login" });
});

test("routine telemetry hides beside other exclusions and comes back alone", () => {
  const hidden = view(hideRoutine(view({ without: "result:denied" }), true));
  expect(hidesRoutine(hidden)).toBe(true);
  expect(hideRoutine(hidden, false).without).toBe("result:denied");
});
