import { actionLabel } from "@/server/audit/action-label";
import { categoryOf } from "@/server/audit/actions";
import type { FullEntry } from "@/server/audit/schema";
import { ZERO_UUID } from "@/server/ground/context";

/** An entry for a rule, with defaults. */
export function entryOf(over: Partial<FullEntry> = {}): FullEntry {
  const action = over.action ?? "device.delete";
  return {
    id: ZERO_UUID,
    orgId: ZERO_UUID,
    timestamp: "2026-11-20T12:00:00.000Z",
    action,
    actionLabel: actionLabel(action),
    actorType: "user",
    category: categoryOf(action),
    result: "success",
    ipAddress: "203.0.113.7",
    userAgent: "",
    submittedBy: null,
    user: {
      id: "b1f0c1de-0000-4000-8000-000000000001",
      name: "Jane Doe",
      email: "jane@example.test",
      role: "org_admin",
    },
    resource: { type: "device", id: "", name: "WS-042" },
    details: {},
    errorMessage: null,
    checksum: "",
    prevChecksum: null,
    chainSeq: 1,
    ...over,
  };
}

/** An entry of a story, some minutes after its start. */
export type Told = Partial<FullEntry> & { minute: number };
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

/** For each shipped rule by key, a story that raises an alert, and a similar one that does not. */
export const RULE_STORIES: Record<string, { alarming: Told[]; harmless: Told[] }> = {
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
