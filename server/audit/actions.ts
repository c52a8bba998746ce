import type { Category } from "./vocabulary";

/**
 * What an action is called in human words. `label` stands alone ("created device"); `about` is the sentence around the
 * resource's name where appending it to the label would read wrong, null where the name says nothing more.
 */
type Action = { label: string; about?: string | null; security?: true; compliance?: true };

const catalogue = {
  "user.login": { label: "signed in", about: null, security: true },
  "user.login.failed": { label: "failed to sign in", about: null, security: true },
  "user.logout": { label: "signed out", about: null },
  "user.create": { label: "created user" },
  "user.update": { label: "updated user" },
  "user.disable": { label: "disabled user" },
  "user.enable": { label: "enabled user" },
  "user.permission.change": {
    label: "changed permissions",
    about: "changed the permissions of {name}",
    security: true,
  },
  "user.password.change": { label: "changed password", about: "changed the password of {name}" },
  "user.password.reset": { label: "reset password", about: "reset the password of {name}" },
  "user.password.reset.request": {
    label: "requested a password reset",
    about: "requested a password reset for {name}",
  },
  "user.invite": { label: "invited user" },
  "user.invite.accept": { label: "accepted an invitation", about: null },
  "user.session.end": { label: "ended a session", about: "ended a session of {name}" },
  "user.token.reuse": { label: "reused a refresh token", about: "reused a refresh token of {name}" },
  "organization.create": { label: "created organization" },
  "organization.update": { label: "updated organization", compliance: true },
  "organization.delete": { label: "deleted organization" },
  "organization.audit_retention.update": {
    label: "changed audit retention",
    about: "changed the audit retention of {name}",
  },
  "audit.retention.prune": { label: "pruned expired audit logs", about: "pruned expired audit logs of {name}" },
  "audit_logs.export": { label: "exported audit logs", about: null },
  "audit_logs.verify": { label: "verified the audit chain", about: null },
  "audit_logs.evidence": { label: "downloaded an evidence bundle", about: null },
  "audit.view.create": { label: "saved audit view" },
  "audit.view.update": { label: "changed audit view" },
  "audit.view.delete": { label: "deleted audit view" },
  "api_key.create": { label: "created API key" },
  "api_key.update": { label: "updated API key" },
  "api_key.rotate": { label: "rotated API key" },
  "api_key.revoke": { label: "revoked API key" },
  "enrollment_key.create": { label: "created enrollment key" },
  "enrollment_key.revoke": { label: "revoked enrollment key" },
  "agent.enroll": { label: "enrolled agent", about: "enrolled the agent of {name}" },
  "agent.revoke": { label: "revoked agent", about: "revoked the agent of {name}" },
  "agent.eventlogs.submit": { label: "submitted event logs", about: "submitted event logs of {name}" },
  "agent.source.ip.changed": { label: "changed source IP", about: "changed source IP on {name}", security: true },
  "device.create": { label: "created device", compliance: true },
  "device.update": { label: "updated device" },
  "device.delete": { label: "deleted device", compliance: true },
  "device.eventlogs.live_query": { label: "queried live event logs", about: "queried live event logs of {name}" },
  "device.custom_fields.update": { label: "changed custom fields", about: "changed custom fields of {name}" },
  "custom_field.create": { label: "created custom field" },
  "custom_field.update": { label: "updated custom field" },
  "custom_field.delete": { label: "deleted custom field" },
  "custom_fields.import.start": { label: "started custom field import" },
  "custom_fields.import.finish": { label: "finished custom field import" },
  "custom_fields.import.cancel": { label: "cancelled custom field import" },
  "custom_fields.import.undo": { label: "undid custom field import" },
  "data.access": { label: "accessed data", about: "accessed data of {name}", compliance: true },
  "data.export": { label: "exported data", about: "exported data of {name}", compliance: true },
  "script.create": { label: "created script" },
  "script.update": { label: "updated script" },
  "script.delete": { label: "deleted script" },
  "script.execute": { label: "executed script", compliance: true },
  "policy.create": { label: "created policy", security: true },
  "policy.update": { label: "updated policy", security: true, compliance: true },
  "policy.delete": { label: "deleted policy" },
  "policy.evaluate": { label: "evaluated policy", security: true, compliance: true },
  "automation.policy.evaluate": { label: "evaluated automation policy", security: true, compliance: true },
  "alert.create": { label: "raised alert" },
  "alert.acknowledge": { label: "acknowledged alert" },
  "alert.resolve": { label: "resolved alert" },
  "alert.suppress": { label: "suppressed alert" },
  "alert.delete": { label: "deleted alert" },
} satisfies Record<string, Action>;

/** Every action code of the specification, the wire contract and this product. */
export const ACTIONS: Readonly<Record<string, Action>> = catalogue;

const flagged = (flag: "security" | "compliance"): readonly string[] =>
  Object.entries(ACTIONS)
    .filter(([, action]) => action[flag])
    .map(([code]) => code);

/** Spec: the actions of the security events report. */
export const SECURITY_ACTIONS = flagged("security");
/** Spec: the actions of the compliance report. */
export const COMPLIANCE_ACTIONS = flagged("compliance");

/** Spec, Action categories: prefixes as they stand there, dot included; `system` is everything else. */
export const CATEGORY_PREFIXES: readonly (readonly [Exclude<Category, "system">, readonly string[]])[] = [
  ["authentication", ["user.login", "user.logout", "user.permission"]],
  ["device", ["device."]],
  ["automation", ["script."]],
  ["policy", ["policy.", "automation.policy."]],
  ["alert", ["alert."]],
  ["compliance", ["data."]],
  ["organization", ["organization."]],
];

/** The category of any action code, known or not. */
export function categoryOf(action: string): Category {
  for (const [category, prefixes] of CATEGORY_PREFIXES) if (prefixes.some((p) => action.startsWith(p))) return category;
  return "system";
}

/** categoryOf as an SQL expression over a column name of ours (never user input); the prefixes hold no quote. */
export function categorySql(column: string): string {
  const cases = CATEGORY_PREFIXES.map(
    ([category, prefixes]) =>
      `WHEN ${prefixes.map((p) => `starts_with(${column}, '${p}')`).join(" OR ")} THEN '${category}'`,
  );
  return `CASE ${cases.join(" ")} ELSE 'system' END`;
}
