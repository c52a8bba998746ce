/**
 * Rules shipped with the product. isOn: enabled unless a partner decides. The description explains an alert and what to
 * do; the key is stored and never changes.
 */
export type ShippedRule = { key: string; isOn: boolean; yaml: string };

type Told = { title: string; level: string; means: string; todo: string };
const head = ({ title, level, means, todo }: Told): string =>
  `title: ${title}\nlevel: ${level}\ndescription: |\n  ${means}\n\n  What to do: ${todo}\n`;

/** A selection of some actions, with further lines. */
const detection = (actions: string[], ...lines: string[]): string =>
  `logsource: {product: trailmark}
detection:
  selection:
    action: [${actions.join(", ")}]
${lines.map((line) => `    ${line}\n`).join("")}  condition: selection
`;
const single = (told: Told, actions: string[], ...lines: string[]): string => head(told) + detection(actions, ...lines);
const named = (name: string, ...of: Parameters<typeof detection>): string => `name: ${name}\n${detection(...of)}---\n`;

type Correlation = { type: string; rules: string[]; by?: string; timespan: string; condition?: string };
const correlation = ({ type, rules, by, timespan, condition }: Correlation): string =>
  `correlation:
  type: ${type}
  rules: [${rules.join(", ")}]
${by ? `  group-by: [${by}]\n` : ""}  timespan: ${timespan}
${condition ? `  condition: {${condition}}\n` : ""}`;
const FAILURES = named("failed", ["user.login.failed"]);
const countOf = (name: string, of: Correlation): string => `name: ${name}\n${correlation(of)}---\n`;
const SHORTENED = ["organization.audit_retention.update"] as const;
const SHORTER = "details.after.retentionDays|lt|fieldref: details.before.retentionDays";

export const SHIPPED_RULES: readonly ShippedRule[] = [
  {
    key: "two_factor_disabled",
    isOn: true,
    yaml: single(
      {
        title: "Second factor of an administrator turned off",
        level: "high",
        means: "An administrator's account is protected by less than before, which often precedes its takeover.",
        todo: "ask the person by telephone. If it was not them, disable the account and end its sessions.",
      },
      ["user.two_factor.disable"],
      "user.role|endswith: admin",
    ),
  },
  {
    key: "retention_shortened",
    isOn: true,
    yaml: single(
      {
        title: "Audit retention shortened",
        level: "high",
        means: "Entries of this organization will be removed earlier than before.",
        todo: "compare with the contract. Set the former retention again before the next pruning run if nobody ordered it.",
      },
      [...SHORTENED],
      SHORTER,
    ),
  },
  {
    key: "stream_cut",
    isOn: true,
    yaml: single(
      {
        title: "Data stream paused, changed or deleted",
        level: "high",
        means: "A receiver of the log may see less than before, or nothing.",
        todo: "check that the change was ordered, and that the receiver knows of it.",
      },
      ["stream.pause", "stream.update", "stream.disable", "stream.delete"],
    ),
  },
  {
    key: "pruned_after_shortening",
    isOn: true,
    yaml:
      named("shortened", [...SHORTENED], SHORTER) +
      named("pruned", ["audit.retention.prune"]) +
      head({
        title: "Entries pruned right after retention was shortened",
        level: "critical",
        means: "Entries were removed within a day of a shorter retention. This is how traces are removed.",
        todo: "find who shortened it and why. Restore the entries from a backup or an archive if it was not ordered.",
      }) +
      correlation({ type: "temporal_ordered", rules: ["shortened", "pruned"], timespan: "24h" }),
  },
  {
    key: "export_after_failures",
    isOn: true,
    yaml:
      FAILURES +
      countOf("failures", {
        ...{ type: "event_count", rules: ["failed"], by: "user.id", timespan: "30m" },
        condition: "gte: 3",
      }) +
      named("exported", ["audit_logs.export", "data.export"]) +
      head({
        title: "Export after failed sign-ins",
        level: "high",
        means: "Somebody failed to sign in three times, and within half an hour the same account exported data.",
        todo: "ask the person. If it was not them, disable the account, and find in the export's entry what left.",
      }) +
      correlation({
        ...{ type: "temporal_ordered", rules: ["failures", "exported"], by: "user.id", timespan: "30m" },
      }),
  },
  {
    key: "login_after_failures",
    isOn: true,
    yaml:
      FAILURES +
      countOf("failures", {
        ...{ type: "event_count", rules: ["failed"], by: "user.id", timespan: "30m" },
        condition: "gte: 10",
      }) +
      named("signed_in", ["user.login"], "result: success") +
      head({
        title: "Sign-in after ten failures",
        level: "high",
        means: "Ten attempts to sign in failed before one succeeded: a password may have been guessed.",
        todo: "have the person change the password, and require a second factor.",
      }) +
      correlation({
        ...{ type: "temporal_ordered", rules: ["failures", "signed_in"], by: "user.id", timespan: "30m" },
      }),
  },
  {
    key: "token_reuse",
    isOn: true,
    yaml: single(
      {
        title: "Refresh token used twice",
        level: "high",
        means: "Two parties hold the same session: its token was copied. The session has been ended.",
        todo: "check the person's device for malware, and have them change the password.",
      },
      ["user.token.reuse"],
    ),
  },
  {
    key: "admin_new_network",
    isOn: false,
    yaml: single(
      {
        title: "Administrator signed in from a new network",
        level: "medium",
        means:
          "An administrator signed in from a network (/24, of IPv6 /48) that the account was never seen in before.",
        todo: "ask the person. If it was not them, end the sessions and have the password changed.",
      },
      ["user.login"],
      ...["result: success", "user.role|endswith: admin", "firstSeen: network"],
    ),
  },
  {
    key: "key_new_network",
    isOn: false,
    yaml:
      head({
        title: "API key used from a new network",
        level: "medium",
        means:
          "An API key was used from a network (/24, of IPv6 /48) that it was never used in before: it may have leaked.",
        todo: "ask who runs it. If the network is not yours, rotate the key.",
      }) +
      "logsource: {product: trailmark}\ndetection:\n  selection: {actorType: api_key, firstSeen: network}\n  condition: selection\n",
  },
  {
    key: "mass_delete",
    isOn: false,
    yaml:
      named("deleted", ["device.delete", "organization.delete", "custom_field.delete"]) +
      head({
        title: "Many deletions",
        level: "high",
        means: "One person or key deleted ten devices, organizations or custom fields within ten minutes.",
        todo: "ask whether it is a migration. If not, disable the account or revoke the key first, then restore.",
      }) +
      correlation({
        ...{ type: "event_count", rules: ["deleted"], by: "user.id", timespan: "10m", condition: "gte: 10" },
      }),
  },
  {
    key: "mass_script",
    isOn: false,
    yaml:
      named("executed", ["script.execute"]) +
      head({
        title: "Script executed on many devices",
        level: "high",
        means:
          "One person or key executed scripts on 25 devices within a quarter of an hour. Ransomware spreads this way.",
        todo: "look at the script. If nobody ordered it, revoke the access and disconnect the devices.",
      }) +
      correlation({
        ...{ type: "value_count", rules: ["executed"], by: "user.id", timespan: "15m" },
        condition: "field: device, gte: 25",
      }),
  },
  {
    key: "webhook_redirected",
    isOn: false,
    yaml: single(
      {
        title: "Webhook created or redirected",
        level: "medium",
        means: "Notifications are posted to an address that did not receive them before.",
        todo: "check that the address belongs to you or to the customer.",
      },
      ["webhook.create", "webhook.update"],
      "details.before.host|exists: false",
    ).replace(
      "  condition: selection",
      "  moved: {action: webhook.update, details.urlChanged: true}\n  condition: selection or moved",
    ),
  },
  {
    key: "key_then_export",
    isOn: false,
    yaml:
      named("created", ["api_key.create"]) +
      named("exported", ["audit_logs.export", "data.export"], "actorType: api_key") +
      head({
        title: "Export by a key soon after a key was created",
        level: "medium",
        means: "Within an hour of a new API key, a key exported data of the same organization.",
        todo: "check that it is the same key and that its purpose is known.",
      }) +
      correlation({ type: "temporal_ordered", rules: ["created", "exported"], timespan: "1h" }),
  },
  {
    key: "proof_link_spread",
    isOn: false,
    yaml:
      named("opened", ["audit_logs.proof.open"], "result: success") +
      head({
        title: "Proof link opened from many addresses",
        level: "medium",
        means:
          "A link to the proof of an entry was opened from more than five addresses within a day: it was passed on.",
        todo: "revoke the link if the entry is confidential.",
      }) +
      correlation({
        ...{ type: "value_count", rules: ["opened"], by: "details.linkId", timespan: "24h" },
        condition: "field: ipAddress, gt: 5",
      }),
  },
  {
    key: "many_enrollment_keys",
    isOn: false,
    yaml:
      named("created", ["enrollment_key.create"]) +
      head({
        title: "Many enrollment keys created",
        level: "medium",
        means: "One person or key created five enrollment keys within an hour; each lets foreign devices in.",
        todo: "revoke those that nobody needs.",
      }) +
      correlation({
        ...{ type: "event_count", rules: ["created"], by: "user.id", timespan: "1h", condition: "gte: 5" },
      }),
  },
  {
    key: "agent_address_flapping",
    isOn: false,
    yaml:
      named("moved", ["agent.source.ip.changed"]) +
      head({
        title: "Agent changes its address again and again",
        level: "medium",
        means: "An agent's address changed six times within an hour: two machines may use the token of one agent.",
        todo: "release the agent and enroll the device again if it is not in a mobile network.",
      }) +
      correlation({
        ...{ type: "event_count", rules: ["moved"], by: "user.id", timespan: "1h", condition: "gte: 6" },
      }),
  },
];
