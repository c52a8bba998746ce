import { expect, it } from "vitest";
import type { FullEntry } from "@/server/audit/schema";
import { Evaluation, type Finding, type Group } from "@/server/detections/evaluate/engine";
import { parseRule } from "@/server/detections/rule/parse";
import { entryOf } from "@/testing/detections";
import { SHIPPED_RULES } from "./rules";

type Told = Partial<FullEntry> & { minute: number };
const times = (n: number, tell: (i: number) => Told): Told[] => Array.from({ length: n }, (_, i) => tell(i));
const on = (name: string) => ({ resource: { type: "device", id: "", name } });
const as = (id: string, role = "org_admin") => ({ user: { id, name: id, email: "", role } });
const retention = (minute: number, before: number, after: number): Told => ({
  ...{ minute, action: "organization.audit_retention.update" },
  details: { before: { retentionDays: before }, after: { retentionDays: after } },
});
const failures = (n: number) => times(n, (i) => ({ minute: i, action: "user.login.failed", result: "failure" }));
const opened = (n: number) =>
  times(n, (i) => ({
    ...{ minute: i, action: "audit_logs.proof.open", ipAddress: `203.0.113.${i}`, details: { linkId: "l" } },
  }));

/** Of each rule a story that it tells, and one close to it that it does not. */
const STORIES: Record<string, { alarming: Told[]; harmless: Told[] }> = {
  two_factor_disabled: {
    alarming: [{ minute: 0, action: "user.two_factor.disable", ...as("a", "partner_admin") }],
    harmless: [{ minute: 0, action: "user.two_factor.disable", ...as("a", "org_viewer") }],
  },
  retention_shortened: { alarming: [retention(0, 365, 7)], harmless: [retention(0, 90, 365)] },
  stream_cut: {
    alarming: [{ minute: 0, action: "stream.pause" }],
    harmless: [{ minute: 0, action: "stream.create" }],
  },
  pruned_after_shortening: {
    alarming: [retention(0, 365, 7), { minute: 600, action: "audit.retention.prune" }],
    harmless: [{ minute: 0, action: "audit.retention.prune" }, retention(600, 365, 7)],
  },
  export_after_failures: {
    alarming: [...failures(3), { minute: 20, action: "audit_logs.export" }],
    harmless: [
      ...failures(2),
      { minute: 20, action: "audit_logs.export" },
      { minute: 25, action: "user.login.failed", result: "failure" },
    ],
  },
  login_after_failures: {
    alarming: [...failures(10), { minute: 12, action: "user.login" }],
    harmless: [...failures(9), { minute: 12, action: "user.login" }],
  },
  token_reuse: {
    alarming: [{ minute: 0, action: "user.token.reuse", result: "denied" }],
    harmless: [{ minute: 0, action: "user.login" }],
  },
  admin_new_network: {
    alarming: [{ minute: 0, action: "user.login", firstSeen: ["address", "network"], ...as("a", "partner_admin") }],
    harmless: [
      { minute: 0, action: "user.login", firstSeen: ["address"], ...as("a", "partner_admin") },
      { minute: 1, action: "user.login", firstSeen: ["network"], ...as("a", "org_viewer") },
    ],
  },
  key_new_network: {
    alarming: [{ minute: 0, action: "device.update", actorType: "api_key", firstSeen: ["network"] }],
    harmless: [{ minute: 0, action: "device.update", actorType: "user", firstSeen: ["network"] }],
  },
  mass_delete: {
    alarming: times(10, (i) => ({ minute: i / 2, action: i % 2 ? "device.delete" : "custom_field.delete" })),
    harmless: times(10, (i) => ({ minute: i * 2, action: "device.delete" })),
  },
  mass_script: {
    alarming: times(25, (i) => ({ minute: i / 2, action: "script.execute", ...on(`WS-${i}`) })),
    harmless: times(50, (i) => ({ minute: i / 4, action: "script.execute", ...on(`WS-${i % 24}`) })),
  },
  webhook_redirected: {
    alarming: [{ minute: 0, action: "webhook.update", details: { before: { host: "a" }, urlChanged: true } }],
    harmless: [{ minute: 0, action: "webhook.update", details: { before: { host: "a" }, urlChanged: false } }],
  },
  key_then_export: {
    alarming: [
      { minute: 0, action: "api_key.create" },
      { minute: 30, action: "audit_logs.export", actorType: "api_key" },
    ],
    harmless: [
      { minute: 0, action: "api_key.create" },
      { minute: 30, action: "audit_logs.export", actorType: "user" },
    ],
  },
  proof_link_spread: { alarming: opened(6), harmless: opened(5) },
  many_enrollment_keys: {
    alarming: times(5, (i) => ({ minute: i, action: "enrollment_key.create" })),
    harmless: times(5, (i) => ({ minute: i * 20, action: "enrollment_key.create" })),
  },
  agent_address_flapping: {
    alarming: times(6, (i) => ({ minute: i, action: "agent.source.ip.changed" })),
    harmless: times(6, (i) => ({ minute: i, action: "agent.source.ip.changed", ...as(`agent ${i}`) })),
  },
};

function raisedBy(yaml: string, told: readonly Told[]): Finding[] {
  const of = { ruleId: "r", orgId: "o", rule: parseRule(yaml), dedupeMs: 3_600_000, exceptions: [] };
  const evaluation = new Evaluation(of);
  const groups = new Map<string, Group>();
  return told.flatMap(({ minute, ...over }, i) => {
    const timestamp = new Date(Date.UTC(2026, 10, 20, 12) + minute * 60_000).toISOString();
    const entry = entryOf({ timestamp, chainSeq: i + 1, ...over });
    const finding = evaluation.concerns(entry) ? evaluation.take(entry, groups, 0) : null;
    return finding?.kind === "raise" ? [finding] : [];
  });
}

it.for(SHIPPED_RULES)("$key raises one alert for its story, and none for one close to it", ({ key, yaml }) => {
  const story = STORIES[key];
  expect(raisedBy(yaml, story?.alarming ?? [])).toHaveLength(1);
  expect(story?.harmless.length).toBeGreaterThan(0);
  expect(raisedBy(yaml, story?.harmless ?? [])).toEqual([]);
});

it.for(SHIPPED_RULES)("$key says what it means and what to do, and is narrowed in SQL", ({ yaml }) => {
  const { description, actions, firstSeen } = parseRule(yaml);
  expect(description).toMatch(/^[A-Z].+\.\n\nWhat to do: .+\.$/s);
  expect(actions ?? firstSeen).not.toBeNull();
});
