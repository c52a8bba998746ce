import { sql } from "drizzle-orm";
import { check, index, jsonb, pgTable, text, uniqueIndex, varchar } from "drizzle-orm/pg-core";
import { createdAt, id, instant } from "./columns";
import { withDevice } from "./devices";
import { ofOrganization } from "./organizations";

/** Agent diagnostic logs (spec: table agent_logs). */
export const agentLogs = pgTable(
  "agent_logs",
  {
    id: id(),
    deviceId: withDevice(),
    orgId: ofOrganization(),
    timestamp: instant("timestamp").notNull(),
    level: text("level", { enum: ["debug", "info", "warn", "error"] }).notNull(),
    component: varchar("component", { length: 100 }).notNull(),
    message: text("message").notNull(),
    fields: jsonb("fields").$type<Record<string, unknown>>(),
    agentVersion: varchar("agent_version", { length: 50 }),
    createdAt: createdAt(),
  },
  (t) => [
    check("agent_logs_level_check", sql`level IN ('debug', 'info', 'warn', 'error')`),
    index("agent_logs_device_idx").on(t.deviceId, t.timestamp, t.id),
    index("agent_logs_org_ts_idx").on(t.orgId, t.timestamp),
    index("agent_logs_level_component_idx").on(t.level, t.component),
    index("agent_logs_timestamp_idx").on(t.timestamp),
  ],
);

/** Stored device event logs (spec: table device_event_logs). */
export const deviceEventLogs = pgTable(
  "device_event_logs",
  {
    id: id(),
    deviceId: withDevice(),
    orgId: ofOrganization(),
    timestamp: instant("timestamp").notNull(),
    level: text("level", { enum: ["info", "warning", "error", "critical"] }).notNull(),
    category: text("category", { enum: ["security", "hardware", "application", "system"] }).notNull(),
    source: varchar("source", { length: 255 }).notNull(),
    eventId: varchar("event_id", { length: 100 }),
    message: text("message").notNull(),
    details: jsonb("details").$type<Record<string, unknown>>(),
    createdAt: createdAt(),
  },
  (t) => [
    check("device_event_logs_level_check", sql`level IN ('info', 'warning', 'error', 'critical')`),
    check("device_event_logs_category_check", sql`category IN ('security', 'hardware', 'application', 'system')`),
    index("device_event_logs_device_idx").on(t.deviceId, t.timestamp, t.id),
    index("device_event_logs_org_ts_idx").on(t.orgId, t.timestamp),
    // Includes the order of one device's rows: a rare category in a long history costs only its page.
    index("device_event_logs_cat_level_idx").on(t.category, t.level, t.deviceId, t.timestamp, t.id),
    uniqueIndex("device_event_logs_dedup_idx").on(t.deviceId, t.source, t.eventId),
  ],
);
