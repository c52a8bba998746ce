import { expect, it } from "vitest";
import { faultOfText, toFilter, toText } from "./filter-text";

const typed = (text: string, routine = false) => toFilter({ text, routine, rest: {} });

it("takes a filter as the search box does", () => {
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
])("shows the filter of %j so that typing it again changes nothing", (text) => {
  const shown = toText(typed(text));
  expect(toFilter(shown)).toEqual(typed(text));
});

it("keeps what only the API sets", () => {
  const filter = { resourceType: "device", routine: "only", exclude: "resourceType:user", result: "denied" };
  expect(toText(filter).text).toBe("result:denied");
  expect(toFilter(toText(filter))).toEqual(filter);
});

it("names a qualifier that is none", () => {
  expect(faultOfText("outcome:failure")).toBe("outcome:failure is not a filter; try result:failure");
  expect(faultOfText("printer")).toBeNull();
  expect(faultOfText("result:denied actor:jane -action:user.login")).toBeNull();
});
