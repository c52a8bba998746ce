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
import { users, withUser } from "./identity";
import { ofPartner, organizations, withOrganization } from "./organizations";

/**
 * One row per occurrence of an organization's condition; at most one of a kind is open. Pending until raisedAt.
 * raisedIn and resolvedIn number the evaluation, so that simultaneous findings are sent together.
 */
export const notifications = pgTable(
  "notifications",
  {
    id: id(),
    orgId: withOrganization(),
    kind: text("kind").notNull(),
    /** Facts for the sentences of raising and resolving. */
    detail: jsonb("detail").$type<Record<string, unknown>>().notNull().default({}),
    resolution: jsonb("resolution").$type<Record<string, unknown>>().notNull().default({}),
    since: instant("since").notNull(),
    observedAt: instant("observed_at").notNull(),
    raisedAt: instant("raised_at"),
    raisedIn: count("raised_in"),
    resolvedAt: instant("resolved_at"),
    resolvedIn: count("resolved_in"),
  },
  (t) => [
    check("notifications_kind_check", sql`length(kind) BETWEEN 1 AND 60`),
    check(
      "notifications_order_check",
      sql`(raised_at IS NULL) = (raised_in IS NULL) AND (resolved_at IS NULL) = (resolved_in IS NULL)
        AND (resolved_at IS NULL OR raised_at IS NOT NULL)`,
    ),
    uniqueIndex("notifications_open_key").on(t.orgId, t.kind).where(sql`resolved_at IS NULL`),
    index("notifications_org_idx").on(t.orgId, t.raisedAt),
    index("notifications_raised_in_idx").on(t.raisedIn),
    index("notifications_resolved_in_idx").on(t.resolvedIn),
  ],
);

/** Read notifications by person; a later change makes one unread again. */
export const notificationReads = pgTable(
  "notification_reads",
  {
    userId: withUser(),
    notificationId: uuid("notification_id")
      .notNull()
      .references(() => notifications.id, { onDelete: "cascade" }),
    readAt: instant("read_at").notNull(),
  },
  (t) => [
    primaryKey({ name: "notification_reads_pkey", columns: [t.userId, t.notificationId] }),
    index("notification_reads_notification_idx").on(t.notificationId),
  ],
);

/**
 * A person's notification settings; null is the role's default, orgIds null every organization in reach. pendingFrom:
 * first evaluation of an owed mail.
 */
export const notificationSettings = pgTable("notification_settings", {
  userId: uuid("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  productKinds: text("product_kinds").array(),
  mailKinds: text("mail_kinds").array(),
  orgIds: uuid("org_ids").array(),
  pendingFrom: count("pending_from"),
  lastMailedAt: instant("last_mailed_at"),
  updatedAt: updatedAt(),
});

/** Endpoints that messages are posted to; orgId null: every organization of the partner. Secrets are encrypted. */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    id: id(),
    partnerId: ofPartner(),
    orgId: uuid("org_id").references(() => organizations.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    url: text("url").notNull(),
    kinds: text("kinds").array().notNull(),
    secret: text("secret").notNull(),
    formerSecret: text("former_secret"),
    formerUntil: instant("former_until"),
    disabledAt: instant("disabled_at"),
    disabledByFailure: boolean("disabled_by_failure").notNull().default(false),
    failingSince: instant("failing_since"),
    pendingFrom: count("pending_from"),
    lastSentAt: instant("last_sent_at"),
    createdBy: uuid("created_by"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    check("webhook_endpoints_url_check", sql`length(url) <= 2048`),
    index("webhook_endpoints_partner_idx").on(t.partnerId),
    index("webhook_endpoints_org_idx").on(t.orgId),
  ],
);

/** Messages to an endpoint or person; body is the same at every attempt. */
export const notificationDeliveries = pgTable(
  "notification_deliveries",
  {
    id: id(),
    partnerId: uuid("partner_id"),
    orgId: uuid("org_id"),
    endpointId: uuid("endpoint_id").references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    userId: uuid("user_id").references(() => users.id, { onDelete: "cascade" }),
    type: text("type").notNull(),
    subject: text("subject").notNull(),
    body: text("body").notNull(),
    status: text("status", { enum: ["pending", "delivered", "failed"] })
      .notNull()
      .default("pending"),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: instant("next_attempt_at"),
    lastAttemptAt: instant("last_attempt_at"),
    responseCode: integer("response_code"),
    error: text("error"),
    deliveredAt: instant("delivered_at"),
    createdAt: createdAt(),
  },
  (t) => [
    check("notification_deliveries_status_check", sql`status IN ('pending', 'delivered', 'failed')`),
    check("notification_deliveries_target_check", sql`num_nonnulls(endpoint_id, user_id) = 1`),
    index("notification_deliveries_endpoint_idx").on(t.endpointId, t.createdAt),
    index("notification_deliveries_user_idx").on(t.userId, t.createdAt),
  ],
);

/** Audit events lost or set aside by each server process, identified by its spool. */
export const recordingLosses = pgTable("recording_losses", {
  spoolId: text("spool_id").primaryKey(),
  dropped: count("dropped").notNull().default(0),
  droppedAt: instant("dropped_at"),
  deadLetters: count("dead_letters").notNull().default(0),
  seenAt: instant("seen_at").notNull(),
});

/** A report sent to its creator regularly; orgId null: every organization in their reach. */
export const reportSchedules = pgTable(
  "report_schedules",
  {
    id: id(),
    userId: withUser(),
    partnerId: uuid("partner_id"),
    orgId: uuid("org_id").references(() => organizations.id, { onDelete: "cascade" }),
    report: text("report", { enum: ["activity", "security", "compliance", "statistics"] }).notNull(),
    cadence: text("cadence", { enum: ["weekly", "monthly"] }).notNull(),
    timeZone: text("time_zone").notNull(),
    /** time_zone follows the organization's. */
    followsOrganization: boolean("follows_organization").notNull().default(false),
    nextRunAt: instant("next_run_at").notNull(),
    lastRunAt: instant("last_run_at"),
    lastError: text("last_error"),
    createdAt: createdAt(),
  },
  (t) => [
    check("report_schedules_cadence_check", sql`cadence IN ('weekly', 'monthly')`),
    index("report_schedules_user_idx").on(t.userId),
    index("report_schedules_due_idx").on(t.nextRunAt),
  ],
);
