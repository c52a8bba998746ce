import { expect, test } from "vitest";
import { applyQuery, parseQuery } from "./query-text";

test("plain words are search text", () => {
  expect(parseQuery("  front desk  ")).toEqual({ q: "front desk" });
});

test("qualifiers become filters, the rest stays text", () => {
  expect(parseQuery('actor:jane result:denied resource:"Front desk" printer')).toEqual({
    user: "jane",
    result: "denied",
    resource: "Front desk",
    q: "printer",
  });
});

test("a minus excludes actions; several are combined", () => {
  expect(parseQuery("-action:user.login -action:user.logout")).toEqual({
    excludeActions: "user.login,user.logout",
    exclude: null,
    q: null,
  });
});

test("parses a device, an address and exclusions of other kinds", () => {
  expect(parseQuery("device:WS-042 ip:10.0. -result:Success -type:agent -actor:jane")).toEqual({
    device: "WS-042",
    ip: "10.0.",
    excludeActions: null,
    exclude: "result:success,actorType:agent,user:jane",
    q: null,
  });
});

test("several values match any, separated by commas or with repeated qualifiers", () => {
  expect(parseQuery('result:failure result:Denied actor:jane,"Dele Adeyemi"')).toEqual({
    result: "failure,denied",
    user: "jane,Dele Adeyemi",
    q: null,
  });
  expect(applyQuery({ result: "failure", q: "old" }, parseQuery("result:denied"))).toMatchObject({
    result: "failure,denied",
    q: null,
  });
});

test("a minus before a word or phrase excludes it; a hyphen inside a word does not", () => {
  expect(parseQuery('antivirus -"test run" -demo CDG-WS-008')).toEqual({
    q: "antivirus CDG-WS-008",
    exclude: '"q:""test run""",q:demo',
    excludeActions: null,
  });
});

test("a network filters by address anywhere in the text, a plain address is a word", () => {
  expect(parseQuery("198.51.100.0/24")).toEqual({ ip: "198.51.100.0/24", q: null });
  expect(parseQuery("198.51.100.77")).toEqual({ q: "198.51.100.77" });
  expect(parseQuery("ip:198.51.100.0/24,2001:db8::/32")).toEqual({ ip: "198.51.100.0/24,2001:db8::/32", q: null });
  expect(parseQuery("ip:198.51.100.0/40")).toEqual({ q: "ip:198.51.100.0/40" });
});

test("invalid values and colons that are not qualifiers stay text", () => {
  expect(parseQuery("result:odd 14:02 http://x")).toEqual({ q: "result:odd 14:02 http://x" });
});
