import { sql } from "drizzle-orm";
import { check, integer, pgTable, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, updatedAt } from "./columns";
import { organizations } from "./organizations";

/** Retention of an organization's diagnostic logs and device events; nothing is removed before pruneFrom. */
export const deviceLogPolicies = pgTable(
  "device_log_policies",
  {
    orgId: uuid("org_id")
      .primaryKey()
      .references(() => organizations.id, { onDelete: "cascade" }),
    diagnosticDays: integer("diagnostic_days").notNull().default(30),
    eventDays: integer("event_days").notNull().default(90),
    pruneFrom: instant("prune_from").notNull().defaultNow(),
    lastCleanupAt: instant("last_cleanup_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  () => [
    check("device_log_policies_diagnostic_check", sql`diagnostic_days BETWEEN 1 AND 3650`),
    check("device_log_policies_event_check", sql`event_days BETWEEN 1 AND 3650`),
  ],
);
