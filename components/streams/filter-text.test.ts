import { expect, it } from "vitest";
import { faultOfText, toFilter, toText } from "./filter-text";

const typed = (text: string, routine = false) => toFilter({ text, routine, rest: {} });

it("parses a filter like the search box", () => {
  expect(typed('result:failure,denied -action:agent.heartbeat actor:"Jane Doe" printer', true)).toEqual({
    ...{ result: "failure,denied", user: "Jane Doe", excludeActions: "agent.heartbeat" },
    ...{ q: "printer", routine: "without" },
  });
});

it.for([
  "",
  "result:failure,denied",
  'actor:"Jane Doe" category:authentication',
  "action:user.login -result:success",
  "-action:agent.heartbeat -action:agent.logs.submit printer",
  'printer -"paper jam"',
])("the filter text of %j survives a round trip", (text) => {
  const shown = toText(typed(text));
  expect(toFilter(shown)).toEqual(typed(text));
});

it("keeps filters that only the API can set", () => {
  const filter = { resourceType: "device", routine: "only", exclude: "resourceType:user", result: "denied" };
  expect(toText(filter).text).toBe("result:denied");
  expect(toFilter(toText(filter))).toEqual(filter);
});

it("names an unknown qualifier", () => {
  expect(faultOfText("outcome:failure")).toBe("outcome:failure is not a filter; try result:failure");
  expect(faultOfText("printer")).toBeNull();
  expect(faultOfText("result:denied actor:jane -action:user.login")).toBeNull();
});
