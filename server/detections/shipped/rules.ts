/**
 * Rules shipped with the product. isOn: enabled unless a partner decides. The description explains an alert and what to
 * do; the key is stored and never changes.
 */
export type ShippedRule = { key: string; isOn: boolean; yaml: string };

/** steps: documents by name that a correlation is about. rule: the text after the description. */
type Told = {
  key: string;
  isOn?: true;
  title: string;
  level: string;
  means: string;
  todo: string;
  steps?: Record<string, string>;
  rule: string;
};

/** Entries of some actions that meet further lines. */
const entries = (actions: string, ...lines: string[]): string =>
  `logsource: {product: trailmark}
detection:
  selection:
    action: [${actions}]
${lines.map((line) => `    ${line}\n`).join("")}  condition: selection
`;

type Correlation = { type: string; rules: string; by?: string; timespan: string; condition?: string };
const correlation = ({ type, rules, by, timespan, condition }: Correlation): string =>
  `correlation:
  type: ${type}
  rules: [${rules}]
${by ? `  group-by: [${by}]\n` : ""}  timespan: ${timespan}
${condition ? `  condition: {${condition}}\n` : ""}`;

const SHORTENED = entries(
  "organization.audit_retention.update",
  "details.after.retentionDays|lt|fieldref: details.before.retentionDays",
);
const FAILED = entries("user.login.failed");
const failures = (atLeast: number): string =>
  correlation({ type: "event_count", rules: "failed", by: "user.id", timespan: "30m", condition: `gte: ${atLeast}` });

const TOLD: readonly Told[] = [
  {
    key: "two_factor_disabled",
    isOn: true,
    title: "Second factor of an administrator turned off",
    level: "high",
    means: "An administrator's account is protected by less than before, which often precedes its takeover.",
    todo: "ask the person by telephone. If it was not them, disable the account and end its sessions.",
    rule: entries("user.two_factor.disable", "user.role|endswith: admin"),
  },
  {
    key: "retention_shortened",
    isOn: true,
    title: "Audit retention shortened",
    level: "high",
    means: "Entries of this organization will be removed earlier than before.",
    todo: "compare with the contract. Set the former retention again before the next pruning run if nobody ordered it.",
    rule: SHORTENED,
  },
  {
    key: "stream_cut",
    isOn: true,
    title: "Data stream paused, changed or deleted",
    level: "high",
    means: "A receiver of the log may see less than before, or nothing.",
    todo: "check that the change was ordered, and that the receiver knows of it.",
    rule: entries("stream.pause, stream.update, stream.disable, stream.delete"),
  },
  {
    key: "pruned_after_shortening",
    isOn: true,
    title: "Entries pruned right after retention was shortened",
    level: "critical",
    means: "Entries were removed within a day of a shorter retention. This is how traces are removed.",
    todo: "find who shortened it and why. Restore the entries from a backup or an archive if it was not ordered.",
    steps: { shortened: SHORTENED, pruned: entries("audit.retention.prune") },
    rule: correlation({ type: "temporal_ordered", rules: "shortened, pruned", timespan: "24h" }),
  },
  {
    key: "export_after_failures",
    isOn: true,
    title: "Export after failed sign-ins",
    level: "high",
    means: "Somebody failed to sign in three times, and within half an hour the same account exported data.",
    todo: "ask the person. If it was not them, disable the account, and find in the export's entry what left.",
    steps: { failed: FAILED, failures: failures(3), exported: entries("audit_logs.export, data.export") },
    rule: correlation({ type: "temporal_ordered", rules: "failures, exported", by: "user.id", timespan: "30m" }),
  },
  {
    key: "login_after_failures",
    isOn: true,
    title: "Sign-in after ten failures",
    level: "high",
    means: "Ten attempts to sign in failed before one succeeded: a password may have been guessed.",
    todo: "have the person change the password, and require a second factor.",
    steps: { failed: FAILED, failures: failures(10), signed_in: entries("user.login", "result: success") },
    rule: correlation({ type: "temporal_ordered", rules: "failures, signed_in", by: "user.id", timespan: "30m" }),
  },
  {
    key: "token_reuse",
    isOn: true,
    title: "Refresh token used twice",
    level: "high",
    means: "Two parties hold the same session: its token was copied. The session has been ended.",
    todo: "check the person's device for malware, and have them change the password.",
    rule: entries("user.token.reuse"),
  },
  {
    key: "admin_new_network",
    title: "Administrator signed in from a new network",
    level: "medium",
    means: "An administrator signed in from a network (/24, of IPv6 /48) that the account was never seen in before.",
    todo: "ask the person. If it was not them, end the sessions and have the password changed.",
    rule: entries("user.login", "result: success", "user.role|endswith: admin", "firstSeen: network"),
  },
  {
    key: "key_new_network",
    title: "API key used from a new network",
    level: "medium",
    means:
      "An API key was used from a network (/24, of IPv6 /48) that it was never used in before: it may have leaked.",
    todo: "ask who runs it. If the network is not yours, rotate the key.",
    rule: "logsource: {product: trailmark}\ndetection:\n  selection: {actorType: api_key, firstSeen: network}\n  condition: selection\n",
  },
  {
    key: "mass_delete",
    title: "Many deletions",
    level: "high",
    means: "One person or key deleted ten devices, organizations or custom fields within ten minutes.",
    todo: "ask whether it is a migration. If not, disable the account or revoke the key first, then restore.",
    steps: { deleted: entries("device.delete, organization.delete, custom_field.delete") },
    rule: correlation({ type: "event_count", rules: "deleted", by: "user.id", timespan: "10m", condition: "gte: 10" }),
  },
  {
    key: "mass_script",
    title: "Script executed on many devices",
    level: "high",
    means: "One person or key executed scripts on 25 devices within a quarter of an hour. Ransomware spreads this way.",
    todo: "look at the script. If nobody ordered it, revoke the access and disconnect the devices.",
    steps: { executed: entries("script.execute") },
    rule: correlation({
      type: "value_count",
      rules: "executed",
      by: "user.id",
      timespan: "15m",
      condition: "field: device, gte: 25",
    }),
  },
  {
    key: "webhook_redirected",
    title: "Webhook created or redirected",
    level: "medium",
    means: "Notifications are posted to an address that did not receive them before.",
    todo: "check that the address belongs to you or to the customer.",
    rule: entries("webhook.create, webhook.update", "details.before.host|exists: false").replace(
      "  condition: selection",
      "  moved: {action: webhook.update, details.urlChanged: true}\n  condition: selection or moved",
    ),
  },
  {
    key: "key_then_export",
    title: "Export by a key soon after a key was created",
    level: "medium",
    means: "Within an hour of a new API key, a key exported data of the same organization.",
    todo: "check that it is the same key and that its purpose is known.",
    steps: {
      created: entries("api_key.create"),
      exported: entries("audit_logs.export, data.export", "actorType: api_key"),
    },
    rule: correlation({ type: "temporal_ordered", rules: "created, exported", timespan: "1h" }),
  },
  {
    key: "proof_link_spread",
    title: "Proof link opened from many addresses",
    level: "medium",
    means: "A link to the proof of an entry was opened from more than five addresses within a day: it was passed on.",
    todo: "revoke the link if the entry is confidential.",
    steps: { opened: entries("audit_logs.proof.open", "result: success") },
    rule: correlation({
      type: "value_count",
      rules: "opened",
      by: "details.linkId",
      timespan: "24h",
      condition: "field: ipAddress, gt: 5",
    }),
  },
  {
    key: "many_enrollment_keys",
    title: "Many enrollment keys created",
    level: "medium",
    means: "One person or key created five enrollment keys within an hour; each lets foreign devices in.",
    todo: "revoke those that nobody needs.",
    steps: { created: entries("enrollment_key.create") },
    rule: correlation({ type: "event_count", rules: "created", by: "user.id", timespan: "1h", condition: "gte: 5" }),
  },
  {
    key: "agent_address_flapping",
    title: "Agent changes its address again and again",
    level: "medium",
    means: "An agent's address changed six times within an hour: two machines may use the token of one agent.",
    todo: "release the agent and enroll the device again if it is not in a mobile network.",
    steps: { moved: entries("agent.source.ip.changed") },
    rule: correlation({ type: "event_count", rules: "moved", by: "user.id", timespan: "1h", condition: "gte: 6" }),
  },
];

export const SHIPPED_RULES: readonly ShippedRule[] = TOLD.map((told) => ({
  key: told.key,
  isOn: told.isOn ?? false,
  yaml: [
    ...Object.entries(told.steps ?? {}).map(([name, text]) => `name: ${name}\n${text}---\n`),
    `title: ${told.title}\nlevel: ${told.level}\n`,
    `description: |\n  ${told.means}\n\n  What to do: ${told.todo}\n${told.rule}`,
  ].join(""),
}));
