import { entry, filters, within } from "./audit";
import { LATER, ORG, PERSON, THING, TIME } from "./samples";
import type { WordTable } from "./table";

const YAML = `title: Many devices deleted
level: high
logsource:
  product: trailmark
detection:
  selection:
    action: device.delete
  condition: selection
`;
const DIGEST = "9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de";

/** Detection rules, their exceptions and alerts. */
export const DETECTIONS: WordTable[] = [
  {
    path: "/detections/rules",
    request: {
      "@query.orgId": "Only rules of this organization",
      id: ["Identifies the rule", THING],
      yaml: ["The rule, in the supported part of Sigma 2.1", YAML],
      orgId: ["The organization that it is of; null or left out: every organization of the partner", ORG],
      enabled: ["Whether it is evaluated", true],
      dedupeSeconds: ["For so long more of the same joins an alert instead of raising another", 3600],
      snoozedUntil: ["Until then alerts are raised and nobody is notified of them; null: not snoozed", LATER],
      title: ["What alerts are called", "Many devices deleted"],
      level: ["How serious it is, by Sigma's levels", "high"],
      ...within("filter", filters),
      filter: ["Which entries it is about, by the parameters of the audit list", { action: "device.delete" }],
      threshold: ["How many entries it takes; null or left out: each entry raises or joins an alert", null],
      "threshold.atLeast": ["So many entries, or distinct values", 10],
      "threshold.minutes": ["Within so many minutes", 10],
      "threshold.by": ["Counted for each person, device or address by itself; null: all together", "person"],
      "threshold.distinct": ["Distinct values of it are counted instead of entries; null: entries", null],
      days: ["How far back the history is read", 30],
    },
    response: {
      data: "The rules of the page",
      id: ["Identifies the rule", THING],
      orgId: ["The organization that it is of; null: every organization of the partner", ORG],
      shipped: ["Its key, where it comes with the product", null],
      title: ["What alerts are called", "Many devices deleted"],
      description: ["What an alert means and what to do", "Ask whether it is a migration."],
      level: ["How serious it is, by Sigma's levels", "high"],
      yaml: ["The rule's text", YAML],
      digest: ["SHA-256 of the text, hexadecimal", DIGEST],
      enabled: ["Whether it is evaluated", true],
      dedupeSeconds: ["For so long more of the same joins an alert instead of raising another", 3600],
      snoozedUntil: ["Until then nobody is notified of its alerts; null: not snoozed", null],
      cappedAt: ["When groups were last dropped, because there were more than are kept; null for never", null],
      createdByName: ["Who created it", "Jane Doe"],
    },
  },
  {
    path: "/detections/rules/backtest",
    response: {
      from: ["Beginning of the history that was asked for", TIME],
      to: ["End of it", LATER],
      complete: ["False: time ran out before all of the history was read", true],
      capped: ["Groups were dropped, because there were more than are kept", false],
      entriesRead: ["How many entries were passed", 4815],
      alerts: ["How many alerts there would have been", 3],
      days: "Each day of the history",
      "days.day": ["The day, UTC", "2025-11-20"],
      "days.alerts": ["How many alerts there would have been on it", 1],
      groups: "The people, devices or addresses with the most alerts",
      "groups.orgId": ["Their organization", ORG],
      "groups.title": ["What the alerts would have been called", "Many devices deleted: Jane Doe"],
      "groups.alerts": ["How many", 3],
      samples: "The newest alerts that there would have been",
      "samples.orgId": ["The organization", ORG],
      "samples.title": ["What the alert would have been called", "Many devices deleted: Jane Doe"],
      "samples.at": ["When", TIME],
      "samples.entries": ["Sequences of its entries", [4815]],
      "samples.entry": "The entry that would have raised it",
      ...within("samples.entry", entry),
    },
  },
  {
    path: "/detections/alerts",
    request: {
      "@query.orgId": "Only alerts of this organization",
      id: ["Identifies the alert", THING],
      state: ["What people did about it; closing takes a reason", "closed"],
      ruleId: ["Only alerts of this rule", THING],
      reason: ["Why it is closed: a real incident, expected activity, or noise", "expected"],
      note: ["What was found; null takes it away", "Asked Jane: it is the migration"],
      assigneeId: ["The user who deals with it; null: nobody", null],
    },
    response: {
      data: "The alerts of the page, newest first",
      id: ["Identifies the alert, and its own entry in the log", THING],
      organization: ["Its name", "Northwind Traders"],
      ruleId: ["The rule; null where it was deleted", THING],
      ruleDigest: ["SHA-256 of the text by which it was raised", DIGEST],
      title: ["What was found, in words", "Many devices deleted: Jane Doe"],
      description: ["What it means and what to do", "Ask whether it is a migration."],
      level: ["How serious it is, by Sigma's levels", "high"],
      group: "The person, device or address that its entries have in common",
      "group.field": ["Field of the entries", "user.id"],
      "group.value": ["Its value", PERSON],
      actorId: ["Who caused its last entry when it was raised", PERSON],
      actorName: ["Their name", "Jane Doe"],
      entries: ["Sequences of its entries in the organization's chain, at most 100", [4815]],
      entryCount: ["How many entries it has, also those that are not listed", 1],
      firstAt: ["Time of its first entry", TIME],
      lastAt: ["Time of its last entry", TIME],
      late: ["Its entry arrived more than five minutes after newer ones", false],
      raisedAt: ["When it was raised", TIME],
      state: ["What people did about it", "open"],
      reason: ["Why it is closed; null while it is not", null],
      note: ["What was found", null],
      assigneeId: ["The user who deals with it; null: nobody", null],
      assigneeName: ["Their name", null],
      changedByName: ["Who changed it last", null],
      changedAt: ["When; null for never", null],
      story: "Its entries in the order of the chain",
      ...within("story", entry),
      ...within("actorsDay", entry),
      actorsDay: "The actor's newest entries in the day up to its last entry, oldest first",
    },
  },
  {
    path: "/detections/exceptions",
    request: {
      "@query.orgId": "Only exceptions of this organization",
      id: ["Identifies the exception", THING],
      ruleId: ["The rule", THING],
      orgId: ["The organization in which it holds; null or left out: in all that the rule is of", null],
      fields: ["Fields that all match in the entries to be left alone", { "user.email": "backup@example.com" }],
      reason: ["Why", "Nightly clean-up"],
      expiresAt: ["Until when it holds; null or left out: for good", LATER],
    },
    response: {
      data: "The exceptions of the page, newest first",
      id: ["Identifies the exception", THING],
      ruleId: ["The rule", THING],
      orgId: ["The organization in which it holds; null: in all that the rule is of", null],
      fields: ["Fields that all match in the entries that are left alone", { "user.email": "backup@example.com" }],
      reason: ["Why", "Nightly clean-up"],
      expiresAt: ["Until when it holds; null: for good", LATER],
      createdByName: ["Who created it", "Jane Doe"],
    },
  },
];
