import { z } from "zod";
import { filterInput, fullEntry } from "@/server/audit/schema";
import { keysOf } from "@/server/ground/records";
import {
  adminPage,
  choiceFilter,
  displayName,
  guid,
  instant,
  isoTime,
  nameText,
  pagination,
} from "@/server/ground/wire";
import {
  ALERT_STATES,
  COUNT_BY,
  DEFAULT_DEDUPE_SECONDS,
  LEVELS,
  MAX_BACKTEST_DAYS,
  MAX_THRESHOLD,
  MAX_YAML_LENGTH,
  REASONS,
} from "./vocabulary";

const WEEK_SECONDS = 7 * 24 * 3_600;
const EXAMPLE = `title: Many devices deleted
level: high
logsource:
  product: trailmark
detection:
  selection:
    action: device.delete
  condition: selection
`;
const yaml = z
  .string()
  .min(1)
  .max(MAX_YAML_LENGTH)
  .meta({ description: "A rule in the supported part of Sigma 2.1", example: EXAMPLE });
const dedupeSeconds = z
  .int()
  .min(0)
  .max(WEEK_SECONDS)
  .meta({ description: "For so long more of the same joins an alert instead of raising another", example: 3_600 });

export const ruleListInput = z.strictObject({ orgId: guid.optional(), ...adminPage });

/** Body of POST /detections/rules. Without orgId the rule covers all organizations of the partner. */
export const createRuleInput = z.strictObject({
  yaml,
  orgId: guid.nullish(),
  partnerId: guid.optional(),
  enabled: z.boolean().default(true),
  dedupeSeconds: dedupeSeconds.default(DEFAULT_DEDUPE_SECONDS),
});

/** Body of PATCH /detections/rules/:id; omitted members stay. The text of a shipped rule cannot change. */
export const updateRuleInput = z.strictObject({
  id: guid,
  yaml: yaml.optional(),
  enabled: z.boolean().optional(),
  dedupeSeconds: dedupeSeconds.optional(),
  snoozedUntil: instant.nullish().meta({ description: "Until then alerts are raised and nobody is notified of them" }),
});

/** orgId null: every organization of the partner. cappedAt: last time that groups were dropped because of the limit. */
export const rule = z.strictObject({
  id: guid,
  partnerId: guid,
  orgId: guid.nullable(),
  shipped: z.string().nullable().meta({ description: "Its key, where it comes with the product" }),
  title: z.string(),
  description: z.string(),
  level: z.enum(LEVELS),
  yaml: z.string(),
  digest: z.string().meta({ description: "SHA-256 of the text, hexadecimal" }),
  enabled: z.boolean(),
  dedupeSeconds: z.int(),
  snoozedUntil: isoTime.nullable(),
  cappedAt: isoTime.nullable(),
  createdByName: z.string(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type DetectionRule = z.output<typeof rule>;
export const rulePage = z.strictObject({ data: z.array(rule), pagination });

/** A threshold: at least `count` entries within some minutes, per person, device or address. */
const threshold = z.strictObject({
  atLeast: z.int().min(2).max(MAX_THRESHOLD),
  minutes: z
    .int()
    .min(1)
    .max(7 * 24 * 60),
  by: z.enum(keysOf(COUNT_BY)).nullish(),
  distinct: z.enum(keysOf(COUNT_BY)).nullish().meta({ description: "Counts distinct values of it instead of entries" }),
});
export type Threshold = z.output<typeof threshold>;

/** Body for a rule made from a list's filter. */
export const draftInput = z.strictObject({
  title: displayName,
  level: z.enum(LEVELS).default("medium"),
  filter: filterInput,
  threshold: threshold.nullish(),
});
export type DraftInput = z.output<typeof draftInput>;
export const draft = z.strictObject({ yaml: z.string() });

export const backtestInput = z.strictObject({
  yaml,
  orgId: guid.nullish(),
  days: z.int().min(1).max(MAX_BACKTEST_DAYS).default(30),
  dedupeSeconds: dedupeSeconds.default(DEFAULT_DEDUPE_SECONDS),
});

/** complete false: time ran out before the whole history was read. */
export const backtest = z.strictObject({
  from: isoTime,
  to: isoTime,
  complete: z.boolean(),
  capped: z.boolean(),
  entriesRead: z.int(),
  alerts: z.int(),
  days: z.array(z.strictObject({ day: z.iso.date(), alerts: z.int() })),
  groups: z.array(z.strictObject({ orgId: guid, title: z.string(), alerts: z.int() })),
  samples: z.array(
    z.strictObject({ orgId: guid, title: z.string(), at: isoTime, entries: z.array(z.int()), entry: fullEntry }),
  ),
});
export type Backtest = z.output<typeof backtest>;

const states = choiceFilter(ALERT_STATES);
export const alertListInput = z.strictObject({
  orgId: guid.optional(),
  state: states,
  ruleId: guid.optional(),
  ...adminPage,
});

/** entries are sequences of the organization's chain; entryCount also counts unlisted ones. */
export const alert = z.strictObject({
  id: guid,
  orgId: guid,
  organization: z.string(),
  ruleId: guid.nullable(),
  ruleDigest: z.string(),
  title: z.string(),
  description: z.string(),
  level: z.enum(LEVELS),
  group: z.array(z.strictObject({ field: z.string(), value: z.string() })),
  actorId: guid,
  actorName: z.string(),
  entries: z.array(z.int()),
  entryCount: z.int(),
  firstAt: isoTime,
  lastAt: isoTime,
  late: z.boolean().meta({ description: "Its last entry arrived more than five minutes after newer ones" }),
  raisedAt: isoTime,
  state: z.enum(ALERT_STATES),
  reason: z.enum(REASONS).nullable(),
  note: z.string().nullable(),
  assigneeId: guid.nullable(),
  assigneeName: z.string().nullable(),
  changedByName: z.string().nullable(),
  changedAt: isoTime.nullable(),
});
export type Alert = z.output<typeof alert>;
export const alertPage = z.strictObject({ data: z.array(alert), pagination });

/** An alert with its entries, and the actor's newest entries in the day before, oldest first. */
export const alertStory = alert.extend({ story: z.array(fullEntry), actorsDay: z.array(fullEntry) });

/** Body of PATCH /detections/alerts/:id. Closing needs a reason. */
export const updateAlertInput = z
  .strictObject({
    id: guid,
    state: z.enum(ALERT_STATES).optional(),
    reason: z.enum(REASONS).optional(),
    note: z.string().max(2_000).nullish(),
    assigneeId: guid.nullish(),
  })
  .superRefine(({ state, reason }, context) => {
    if (state === "closed" && !reason)
      context.addIssue({ code: "custom", path: ["reason"], message: "is needed to close" });
    if (state !== "closed" && reason)
      context.addIssue({ code: "custom", path: ["reason"], message: "belongs to the state closed" });
  });
export type UpdateAlertInput = z.output<typeof updateAlertInput>;

export const exceptionListInput = z.strictObject({ orgId: guid.optional(), ruleId: guid.optional(), ...adminPage });

/** Body of POST /detections/exceptions: skips entries whose fields all match; keys may have Sigma modifiers. */
export const createExceptionInput = z.strictObject({
  ruleId: guid,
  orgId: guid.nullish(),
  fields: z
    .record(z.string().max(200), z.string().min(1).max(500))
    .refine((fields) => Object.keys(fields).length <= 10, "has over 10 fields")
    .meta({ example: { "user.email": "backup@example.com" } }),
  reason: nameText(500),
  expiresAt: instant.nullish(),
});

export const exception = z.strictObject({
  id: guid,
  ruleId: guid,
  orgId: guid.nullable(),
  fields: z.record(z.string(), z.string()),
  reason: z.string(),
  expiresAt: isoTime.nullable(),
  createdByName: z.string(),
  createdAt: isoTime,
});
export const exceptionPage = z.strictObject({ data: z.array(exception), pagination });
