import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { count, createdAt, id, instant, updatedAt } from "./columns";
import { ofPartner, organizations, withOrganization } from "./organizations";

const level = () => text("level", { enum: ["informational", "low", "medium", "high", "critical"] }).notNull();
const ofRule = () =>
  uuid("rule_id")
    .notNull()
    .references(() => detectionRules.id, { onDelete: "cascade" });

/**
 * Rules over the audit log. orgId null: every organization of the partner; shipped: key of a rule in the product, whose
 * text is in the code. digest is SHA-256 of the text.
 */
export const detectionRules = pgTable(
  "detection_rules",
  {
    id: id(),
    partnerId: ofPartner(),
    orgId: uuid("org_id").references(() => organizations.id, { onDelete: "cascade" }),
    shipped: text("shipped"),
    title: text("title").notNull(),
    level: level(),
    yaml: text("yaml").notNull(),
    digest: text("digest").notNull(),
    enabled: boolean("enabled").notNull(),
    dedupeSeconds: integer("dedupe_seconds").notNull(),
    snoozedUntil: instant("snoozed_until"),
    createdByName: text("created_by_name").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    check("detection_rules_level_check", sql`level IN ('informational', 'low', 'medium', 'high', 'critical')`),
    check("detection_rules_dedupe_check", sql`dedupe_seconds BETWEEN 0 AND 604800`),
    uniqueIndex("detection_rules_shipped_key").on(t.partnerId, t.shipped).where(sql`shipped IS NOT NULL`),
    index("detection_rules_org_idx").on(t.orgId),
    index("detection_rules_partner_idx").on(t.partnerId),
  ],
);

/**
 * Position of a rule in an organization's chain, and the newest event there. cappedAt: groups were dropped because of
 * the limit.
 */
export const detectionPositions = pgTable(
  "detection_positions",
  {
    ruleId: ofRule(),
    orgId: withOrganization(),
    throughSeq: count("through_seq").notNull(),
    newestAt: instant("newest_at"),
    cappedAt: instant("capped_at"),
  },
  (t) => [
    primaryKey({ name: "detection_positions_pkey", columns: [t.ruleId, t.orgId] }),
    index("detection_positions_org_idx").on(t.orgId, t.throughSeq),
  ],
);

/** State of a group of entries counted together by a rule, until none can count any more. */
export const detectionWindows = pgTable(
  "detection_windows",
  {
    ruleId: ofRule(),
    orgId: withOrganization(),
    groupDigest: text("group_digest").notNull(),
    marks: jsonb("marks").$type<[ms: number, tag: string, ...seqs: number[]][]>().notNull(),
    alertId: uuid("alert_id"),
    alertedAt: instant("alerted_at"),
    touchedSeq: count("touched_seq").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (t) => [
    primaryKey({ name: "detection_windows_pkey", columns: [t.ruleId, t.orgId, t.groupDigest] }),
    index("detection_windows_org_idx").on(t.orgId),
    index("detection_windows_expires_idx").on(t.expiresAt),
  ],
);

/**
 * An alert of a rule: sequences of its entries, and people's actions. raisedEntries: number of entries at the start;
 * recorded: its entry is in the log; notifies: it was not snoozed.
 */
export const detectionAlerts = pgTable(
  "detection_alerts",
  {
    id: uuid("id").primaryKey(),
    orgId: withOrganization(),
    ruleId: uuid("rule_id").references(() => detectionRules.id, { onDelete: "set null" }),
    ruleDigest: text("rule_digest").notNull(),
    title: text("title").notNull(),
    description: text("description").notNull(),
    level: level(),
    groupDigest: text("group_digest").notNull(),
    groupKey: jsonb("group_key").$type<{ field: string; value: string }[]>().notNull(),
    actorId: uuid("actor_id").notNull(),
    actorName: text("actor_name").notNull(),
    entries: count("entries").array().notNull(),
    raisedEntries: integer("raised_entries").notNull(),
    entryCount: integer("entry_count").notNull(),
    firstAt: instant("first_at").notNull(),
    lastAt: instant("last_at").notNull(),
    late: boolean("late").notNull(),
    raisedAt: instant("raised_at").notNull(),
    recorded: boolean("recorded").notNull().default(false),
    notifies: boolean("notifies").notNull(),
    state: text("state", { enum: ["open", "acknowledged", "closed"] })
      .notNull()
      .default("open"),
    reason: text("reason", { enum: ["true", "expected", "noise"] }),
    note: text("note"),
    assigneeId: uuid("assignee_id"),
    assigneeName: text("assignee_name"),
    changedByName: text("changed_by_name"),
    changedAt: instant("changed_at"),
  },
  (t) => [
    check("detection_alerts_state_check", sql`state IN ('open', 'acknowledged', 'closed')`),
    check(
      "detection_alerts_reason_check",
      sql`reason IN ('true', 'expected', 'noise') AND state = 'closed' OR reason IS NULL AND state <> 'closed'`,
    ),
    index("detection_alerts_org_idx").on(t.orgId, t.raisedAt),
    index("detection_alerts_group_idx").on(t.ruleId, t.orgId, t.groupDigest),
    index("detection_alerts_open_idx").on(t.orgId).where(sql`state = 'open'`),
    index("detection_alerts_unrecorded_idx").on(t.orgId).where(sql`NOT recorded`),
  ],
);

/** Exceptions of a rule, by fields that must all match; orgId null: in every organization of the partner. */
export const detectionExceptions = pgTable(
  "detection_exceptions",
  {
    id: id(),
    partnerId: ofPartner(),
    orgId: uuid("org_id").references(() => organizations.id, { onDelete: "cascade" }),
    ruleId: ofRule(),
    fields: jsonb("fields").$type<Record<string, string>>().notNull(),
    reason: text("reason").notNull(),
    expiresAt: instant("expires_at"),
    createdByName: text("created_by_name").notNull(),
    createdAt: createdAt(),
  },
  (t) => [index("detection_exceptions_rule_idx").on(t.ruleId), index("detection_exceptions_org_idx").on(t.orgId)],
);
