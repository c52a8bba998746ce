import { expect, test } from "vitest";
import { parseQuery } from "./query-text";

test("plain words are the search text", () => {
  expect(parseQuery("  front desk  ")).toEqual({ q: "front desk" });
});

test("qualifiers become filters and the rest stays text", () => {
  expect(parseQuery('actor:jane result:denied resource:"Front desk" printer')).toEqual({
    user: "jane",
    result: "denied",
    resource: "Front desk",
    q: "printer",
  });
});

test("a minus excludes actions, several add up", () => {
  expect(parseQuery("-action:user.login -action:user.logout")).toEqual({
    excludeActions: "user.login,user.logout",
    exclude: null,
    q: null,
  });
});

test("a device, an address and several exclusions of other kinds", () => {
  expect(parseQuery("device:WS-042 ip:10.0. -result:Success -type:agent -actor:jane")).toEqual({
    device: "WS-042",
    ip: "10.0.",
    excludeActions: null,
    exclude: "result:success,actorType:agent",
    q: "-actor:jane",
  });
});

test("a value that the filter does not know stays text, and so does a colon that is no qualifier", () => {
  expect(parseQuery("result:odd 14:02 http://x")).toEqual({ q: "result:odd 14:02 http://x" });
});
