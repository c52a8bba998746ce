import { beforeAll, expect, test } from "vitest";
import { Evaluation, type Group } from "@/server/detections/evaluate/engine";
import { parseRule } from "@/server/detections/rule/parse";
import { SHIPPED_RULES } from "@/server/detections/shipped/rules";
import { MINUTE_MS } from "@/server/ground/time/durations";
import { entryOf } from "@/testing/detections";
import { castIn, EVERYBODY, idOf, SEED } from "@/testing/world/cast";
import { createRandom } from "@/testing/world/random";
import { ALERTS, type StoryEvent } from "./beats";
import { MONTH_MS } from "./clock";
import { agentLines, deviceEvents } from "./device-records";
import { incidentOn } from "./incident";
import { type Story, storyEvents } from "./story";

const END = Date.parse("2026-11-27T16:40:00.000Z");

const cast = castIn({
  homeOrgId: idOf(1, 0),
  orgIds: [1, 2, 3].map((n) => idOf(1, n)),
  personIds: EVERYBODY.map((_, n) => idOf(2, n)),
});
let story: Story;
const of = (action: string) => story.events.filter((event) => event.action === action);
const text = (value: unknown) => JSON.stringify(value);

beforeAll(() => {
  story = storyEvents(cast, createRandom(SEED), END);
});

test("all events are within the month, and everyone has signed in", () => {
  const times = story.events.map(({ timestamp }) => Date.parse(timestamp));
  expect(Math.max(...times)).toBeLessThan(END);
  expect(Math.min(...times)).toBeGreaterThan(END - MONTH_MS);
  expect(story.signIns.map(({ email }) => email).sort()).toEqual(cast.people.map(({ email }) => email).sort());
});

test("nobody signs in after their recorded last sign-in", () => {
  const last = new Map(story.signIns.map(({ email, at }) => [email, at]));
  for (const { actorEmail, timestamp } of of("user.login"))
    expect(Date.parse(timestamp)).toBeLessThan(last.get(actorEmail ?? "") ?? 0);
});

test("roles allow every action that succeeds and forbid every denied one", () => {
  const roles = new Map(cast.people.map((person) => [person.id, person.role]));
  const roleOf = ({ actorId }: StoryEvent) => roles.get(actorId) ?? "";
  const changes = [
    ...of("policy.update"),
    ...of("policy.create"),
    ...of("data.export"),
    ...of("user.permission.change"),
  ];
  const ordinary = changes.filter(
    ({ ipAddress, details }) => ipAddress !== "198.18.44.7" && !text(details).includes("CDG"),
  );
  for (const event of ordinary)
    expect([roleOf(event), event.result]).toEqual([
      roleOf(event),
      roleOf(event).endsWith("admin") ? "success" : "denied",
    ]);
});

test("a changed role matches the user's current role and differs from the previous one", () => {
  const roles = new Map(cast.people.map((person) => [person.id, person.role]));
  expect(of("user.permission.change").length).toBeGreaterThan(0);
  for (const { resourceId, actorId, details } of of("user.permission.change")) {
    expect(text(details)).toContain(text({ after: { role: roles.get(resourceId ?? "") } }).slice(1, -1));
    expect(resourceId).not.toBe(actorId);
  }
});

test("alert severity and diagnostic level match their message", () => {
  const severities = new Map<string, string>(Object.entries(ALERTS));
  for (const { resourceName, details } of of("alert.create"))
    expect(details?.severity).toBe(severities.get(resourceName ?? "") ?? "critical");
  const lines = cast.devices.flatMap(() => agentLines(createRandom(7), END));
  for (const { message, level } of lines)
    expect([message, level === "error"]).toEqual([message, /failed/.test(message)]);
  for (const { message, component } of lines) {
    if (message.startsWith("heartbeat")) expect(component).toBe("heartbeat");
    if (message.includes("update check")) expect(component).toBe("updater");
  }
});

test("a laptop that left the office network is back at the end", () => {
  const moves = of("agent.source.ip.changed");
  expect(moves.length).toBeGreaterThan(0);
  const last = new Map(moves.map((move) => [move.actorId, move]));
  for (const device of cast.devices) {
    const move = last.get(device.agentId);
    if (move) expect(move.details?.currentIp).toBe(device.ip);
  }
});

test("the incident appears in audit log, agent diagnostics and device events", () => {
  const device = { hostname: "CDG-WS-008" };
  expect(cast.devices.find(({ hostname }) => hostname === device.hostname)?.os).toBe("windows");
  const turnedOff = of("policy.update").find(({ details }) => text(details).includes("disabled"));
  expect(turnedOff).toMatchObject({ actorEmail: "marcus.webb@northwind.example", ipAddress: "198.18.44.7" });
  const { lines, events } = incidentOn(device, END);
  const at = Date.parse(turnedOff?.timestamp ?? "");
  for (const near of [lines[0], events[0]]) {
    expect(Date.parse(near?.timestamp ?? "")).toBeGreaterThan(at);
    expect(Date.parse(near?.timestamp ?? "")).toBeLessThan(at + MINUTE_MS);
  }
  expect(incidentOn({ hostname: "CDG-WS-009" }, END)).toEqual({ lines: [], events: [] });
  const elsewhere = story.events.filter(({ ipAddress }) => ipAddress === "198.18.44.7");
  expect(new Set(elsewhere.map(({ actorEmail }) => actorEmail))).toEqual(new Set(["marcus.webb@northwind.example"]));
});

test("serious hardware events are rare", () => {
  const random = createRandom(3);
  const events = cast.devices.flatMap((device) => deviceEvents({ ...device, os: "windows" }, random, END));
  const critical = events.filter(({ level }) => level === "critical");
  expect(critical.length / events.length).toBeLessThan(0.02);
});

test("default rules find the incident and nothing else", () => {
  const found = SHIPPED_RULES.filter(({ isOn }) => isOn).flatMap(({ key, yaml }) =>
    [cast.homeOrgId, ...cast.orgIds].flatMap((orgId) => {
      const rule = parseRule(yaml);
      const evaluation = new Evaluation({ ruleId: key, orgId, rule, dedupeMs: 3_600_000, exceptions: [] });
      const groups = new Map<string, Group>();
      return story.events
        .filter((event) => event.orgId === orgId)
        .flatMap((event, at) => {
          const entry = entryOf({
            chainSeq: at + 1,
            timestamp: event.timestamp,
            action: event.action,
            result: event.result ?? "success",
            ipAddress: event.ipAddress ?? "",
            details: event.details ?? {},
            user: { id: event.actorId, name: "", email: event.actorEmail ?? "", role: "" },
          });
          if (!evaluation.concerns(entry)) return [];
          const finding = evaluation.take(entry, groups, END);
          return finding?.kind === "raise" ? [`${key} ${entry.user.email} ${entry.ipAddress}`] : [];
        });
    }),
  );
  expect(found).toEqual(["export_after_failures marcus.webb@northwind.example 198.18.44.7"]);
});
