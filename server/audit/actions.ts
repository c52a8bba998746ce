import type { Category } from "./vocabulary";

/**
 * Label of an action in the infinitive: "create device". The sentences for success, failure and denial derive from it
 * (action-label.ts). `about` wraps the resource's name where appending it would read wrong; null omits the name.
 * `itself` is for an agent acting on its own device. `isResult`: the words already state the outcome.
 */
type Action = {
  does: string;
  about?: string | null;
  itself?: string;
  isResult?: true;
  security?: true;
  compliance?: true;
};

const catalogue = {
  "user.login": { does: "sign in", about: null, security: true },
  "user.login.failed": { does: "fail to sign in", about: null, isResult: true, security: true },
  "user.login.unknown": {
    does: "refuse sign-ins with unknown addresses",
    about: "refuse sign-ins with unknown addresses from {name}",
    isResult: true,
  },
  "user.logout": { does: "sign out", about: null },
  "user.create": { does: "create user" },
  "user.update": { does: "update user" },
  "user.disable": { does: "disable user" },
  "user.enable": { does: "enable user" },
  "user.permission.change": {
    does: "change permissions",
    about: "change the permissions of {name}",
    security: true,
  },
  "user.permission.denied": { does: "be denied permission", about: "be denied permission to {name}", isResult: true },
  "user.password.change": { does: "change password", about: "change the password of {name}" },
  "user.password.reset": { does: "reset password", about: "reset the password of {name}" },
  "user.password.reset.request": {
    does: "request a password reset",
    about: "request a password reset for {name}",
  },
  "user.invite": { does: "invite user" },
  "user.invite.accept": { does: "accept an invitation", about: null },
  "user.two_factor.enable": { does: "turn on a second factor", about: null },
  "user.two_factor.disable": { does: "turn off a second factor", about: "turn off a second factor of {name}" },
  "user.recovery_codes.create": { does: "create recovery codes", about: null },
  "user.identity.link": { does: "link an identity provider", about: null },
  "user.step_up": { does: "confirm their identity", about: null },
  "user.session.end": { does: "end a session", about: "end a session of {name}" },
  "user.token.reuse": { does: "reuse a refresh token", about: null, isResult: true },
  "partner.update": { does: "change what holds for every organization", about: null },
  "organization.create": { does: "create organization" },
  "organization.update": { does: "update organization", compliance: true },
  "organization.delete": { does: "delete organization" },
  "organization.audit_retention.update": {
    does: "change audit retention",
    about: "change the audit retention of {name}",
  },
  "organization.device_log_retention.update": {
    does: "change device log retention",
    about: "change the device log retention of {name}",
  },
  "organization.device_logs.prune": { does: "prune expired device logs", about: "prune expired device logs of {name}" },
  "audit.retention.prune": { does: "prune expired audit logs", about: "prune expired audit logs of {name}" },
  "audit.restored": {
    does: "continue the audit chain from a restored state",
    about: null,
  },
  "backup.created": { does: "create backup" },
  "backup.restored": { does: "restore backup" },
  "audit.chain.head.repair": { does: "repair the head of the audit chain", about: null },
  "audit_logs.export": { does: "export audit logs", about: null },
  "audit_logs.export.download": { does: "download export" },
  "audit_logs.verify": { does: "verify the audit chain", about: null },
  "audit_logs.evidence": { does: "download an evidence bundle", about: null },
  "audit_logs.proof": { does: "export the proof of an entry", about: "export the proof of {name}" },
  "audit_logs.proof.share": { does: "create a proof link", about: "create a proof link to {name}" },
  "audit_logs.proof.revoke": { does: "revoke a proof link", about: "revoke a proof link to {name}" },
  "audit_logs.proof.open": { does: "open a proof link", about: "open a proof link to {name}" },
  "audit.view.create": { does: "save audit view" },
  "audit.view.update": { does: "change audit view" },
  "audit.view.delete": { does: "delete audit view" },
  "api_key.create": { does: "create API key" },
  "api_key.update": { does: "update API key" },
  "api_key.rotate": { does: "rotate API key" },
  "api_key.revoke": { does: "revoke API key" },
  "webhook.create": { does: "create webhook" },
  "webhook.update": { does: "update webhook" },
  "webhook.rotate": { does: "rotate the secret of webhook" },
  "webhook.test": { does: "send test message to webhook" },
  "webhook.resend": { does: "resend message to webhook" },
  "webhook.disable": { does: "disable webhook" },
  "webhook.delete": { does: "delete webhook" },
  "stream.create": { does: "create data stream" },
  "stream.update": { does: "update data stream" },
  "stream.rotate": { does: "rotate the secret of data stream" },
  "stream.pause": { does: "pause data stream" },
  "stream.resume": { does: "resume data stream" },
  "stream.replay": { does: "replay data stream" },
  "stream.delete": { does: "delete data stream" },
  "stream.block": { does: "block data stream" },
  "stream.disable": { does: "disable data stream" },
  "stream.delivered": { does: "deliver entries by data stream" },
  "stream.gap": { does: "skip entries in data stream" },
  "detection.alert.raise": { does: "raise detection alert" },
  "detection.alert.update": { does: "change detection alert" },
  "detection.rule.create": { does: "create detection rule" },
  "detection.rule.update": { does: "update detection rule" },
  "detection.rule.delete": { does: "delete detection rule" },
  "detection.exception.create": { does: "create detection exception" },
  "detection.exception.delete": { does: "delete detection exception" },
  "archive.receipt": { does: "archive entries" },
  "archive.verify": { does: "verify archived entries" },
  "archive.restore": { does: "restore archived entries" },
  "report_schedule.create": { does: "schedule report" },
  "report_schedule.delete": { does: "delete report schedule" },
  "enrollment_key.create": { does: "create enrollment key" },
  "enrollment_key.revoke": { does: "revoke enrollment key" },
  "agent.enroll": { does: "enroll agent", about: "enroll the agent of {name}", itself: "join {organization}" },
  "agent.release": { does: "release agent", about: "release the agent of {name}" },
  "agent.revoke": { does: "revoke agent", about: "revoke the agent of {name}" },
  "agent.eventlogs.submit": { does: "submit event logs", about: "submit event logs of {name}" },
  "agent.source.ip.changed": { does: "change source IP", about: "change source IP on {name}", security: true },
  "device.create": { does: "create device", itself: "register as a device of {organization}", compliance: true },
  "device.update": { does: "update device" },
  "device.delete": { does: "delete device", compliance: true },
  "device.eventlogs.live_query": { does: "query live event logs", about: "query live event logs of {name}" },
  "device.custom_fields.update": { does: "change custom fields", about: "change custom fields of {name}" },
  "custom_field.create": { does: "create custom field" },
  "custom_field.update": { does: "update custom field" },
  "custom_field.delete": { does: "delete custom field" },
  "custom_fields.import.start": { does: "start custom field import" },
  "custom_fields.import.finish": { does: "finish custom field import" },
  "custom_fields.import.cancel": { does: "cancel custom field import" },
  "custom_fields.import.undo": { does: "undo custom field import" },
  "data.access": { does: "access data", about: "access data of {name}", compliance: true },
  "data.export": { does: "export data", about: "export data of {name}", compliance: true },
  "script.create": { does: "create script" },
  "script.update": { does: "update script" },
  "script.delete": { does: "delete script" },
  "script.execute": { does: "execute script", compliance: true },
  "policy.create": { does: "create policy", security: true },
  "policy.update": { does: "update policy", security: true, compliance: true },
  "policy.delete": { does: "delete policy" },
  "policy.evaluate": { does: "evaluate policy", security: true, compliance: true },
  "automation.policy.evaluate": { does: "evaluate automation policy", security: true, compliance: true },
  "alert.create": { does: "raise alert" },
  "alert.acknowledge": { does: "acknowledge alert" },
  "alert.resolve": { does: "resolve alert" },
  "alert.suppress": { does: "suppress alert" },
  "alert.delete": { does: "delete alert" },
} satisfies Record<string, Action>;

/** A code that this product records itself. Other programs may submit any code. */
export type ActionCode = keyof typeof catalogue;

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

/** Prefixes from the spec (Action categories), dot included; `system` is everything else. */
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
