import { describe, expect, it } from "vitest";
import type { FullEntry } from "@/server/audit/schema";
import { entryOf } from "@/testing/detections";
import { parseRule } from "./parse";

const rule = (detection: string, more = "") =>
  `title: A rule\nlogsource: {product: trailmark}\ndetection:\n  s:\n    ${detection}\n  condition: s\n${more}`;

function matches(yaml: string, over: Partial<FullEntry> = {}): boolean {
  const { root } = parseRule(yaml);
  if (root.kind !== "entry") throw new Error("is a correlation");
  return root.matches(entryOf(over));
}

describe("rule selections", () => {
  const jane = { user: { id: "u1", name: "Jane Doe", email: "jane@example.test", role: "org_admin" } };
  it.for<[string, boolean]>([
    ["user.name: jane doe", true],
    ["user.name: jane", false],
    ["user.name|contains: NE D", true],
    ["user.name|startswith|cased: jane", false],
    ["user.name: J?ne*", true],
    ["user.name: [bob, jane doe]", true],
    ["user.name|contains|all: [jane, bob]", false],
    ["user.email|re: '^jane@.*\\.test$'", true],
    ["user.email|re|i: 'EXAMPLE'", true],
    ["ipAddress|cidr: 203.0.113.0/24", true],
    ["ipAddress|cidr: 203.0.114.0/24", false],
    ["details.before|gt: 30", true],
    ["details.before|lte: 30", false],
    ["details.after|exists: true", true],
    ["details.nothing|exists: true", false],
    ["details.nothing: null", true],
    ["details.list|contains: two", true],
    ["details.path|endswith: 'C:\\'", true],
    ["user.name|fieldref: resource.name", true],
    ["details.after|lt|fieldref: details.before", true],
    ["details.before|lt|fieldref: details.after", false],
    ["action: device.delete", true],
    ["action: DEVICE.DELETE", false],
    ["text|contains: 203.0.113", true],
    ["device: jane doe", true],
  ])("%s evaluates to %s", ([line, expected]) => {
    const entry = {
      ...jane,
      ipAddress: "203.0.113.7",
      resource: { type: "device", id: "", name: "Jane Doe" },
      details: { before: 90, after: 7, list: ["one", "two"], path: "x C:\\" },
    };
    expect(matches(rule(line), entry)).toBe(expected);
  });
});

it.for<[string, boolean]>([
  ["a and b", true],
  ["a and not b", false],
  ["not (a and c) and b", true],
  ["1 of x_*", true],
  ["all of x_*", false],
  ["1 of them", true],
  ["c or a and b", true],
])("condition %s evaluates to %s", ([condition, expected]) => {
  const yaml = `title: t
logsource: {product: trailmark}
detection:
  a: {result: success}
  b: {action: device.delete}
  c: {result: denied}
  x_1: {result: success}
  x_2: {result: denied}
  condition: ${condition}`;
  expect(matches(yaml)).toBe(expected);
});

it("narrows by actions only if no other action can match", () => {
  expect(parseRule(rule("action: [a.b, c.d]")).actions).toEqual(new Set(["a.b", "c.d"]));
  expect(parseRule(rule("action|startswith: device.")).actions).toBeNull();
  const not = rule("action: a.b").replace("condition: s", "condition: not s");
  expect(parseRule(not).actions).toBeNull();
});

describe("rejects an invalid rule and says why", () => {
  it.for<[string, string]>([
    ["title: t\nlogsource: {product: windows}", "product: trailmark"],
    [rule("action: x", "timeframe: 5m"), "timeframe"],
    [rule("actoin: x"), "actoin"],
    [rule("action|kontains: x"), "kontains"],
    [rule("action|re: '('"), "RE2"],
    [rule("details.n|gt: many"), "number"],
    [rule("ipAddress|cidr: 10.0.0.0/40"), "network"],
    [rule("action: x").replace("condition: s", "condition: s or"), "ends too early"],
    [rule("action: x").replace("condition: s", "condition: other"), "other"],
    [rule("action: x", "outside: {hours: 18:00-08:00}"), "outside.hours"],
    ["title: [", "yaml"],
    ["- a", "rule of Sigma"],
    [`${rule("action: &x y")}tags: *x\n`, "alias"],
    [
      `name: a\n${rule("action: x")}---\ntitle: t\ncorrelation: {type: event_count, rules: [b], timespan: 5m, condition: {gte: 1}}`,
      "b",
    ],
    [
      `name: a\n${rule("action: x")}---\ntitle: t\ncorrelation: {type: event_count, rules: [a], timespan: 5w, condition: {gte: 1}}`,
      "timespan",
    ],
    [
      `name: a\n${rule("action: x")}---\ntitle: t\ncorrelation: {type: event_count, rules: [a], timespan: 5m, condition: {lt: 1}}`,
      "lt",
    ],
  ])("%s", ([yaml, word]) => {
    expect(() => parseRule(yaml)).toThrow(word);
  });
});

it("evaluates office hours in their time zone", () => {
  const yaml = rule("action: device.delete", "outside: {hours: 08:00-18:00, zone: Europe/Berlin}");
  expect(matches(yaml, { timestamp: "2026-11-20T07:30:00.000Z" })).toBe(false);
  expect(matches(yaml, { timestamp: "2026-11-20T06:30:00.000Z" })).toBe(true);
  expect(matches(yaml, { timestamp: "2026-11-21T12:00:00.000Z" })).toBe(true);
});
