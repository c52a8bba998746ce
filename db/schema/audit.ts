import { sql } from "drizzle-orm";
import {
  bigint,
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
  varchar,
} from "drizzle-orm/pg-core";
import { createdAt, id, instant, updatedAt, xid8 } from "./columns";
import { organizations } from "./organizations";

/**
 * Platform audit log (spec: table audit_logs). No foreign keys: history outlives its subjects. chainSeq, checksum and
 * prevChecksum are the seal, written only by the database's sealing functions. sealTx marks a row whose transaction has
 * not committed its seal yet. sealedAt is when the database took the row, used by retention beside the client's
 * timestamp; it is not hashed.
 */
export const auditLogs = pgTable(
  "audit_logs",
  {
    id: id(),
    orgId: uuid("org_id").notNull(),
    timestamp: instant("timestamp").notNull().defaultNow(),
    actorType: text("actor_type").notNull(),
    actorId: uuid("actor_id").notNull(),
    actorEmail: varchar("actor_email", { length: 255 }),
    action: varchar("action", { length: 100 }).notNull(),
    resourceType: varchar("resource_type", { length: 50 }).notNull(),
    resourceId: uuid("resource_id"),
    resourceName: varchar("resource_name", { length: 255 }),
    details: jsonb("details"),
    ipAddress: varchar("ip_address", { length: 45 }),
    userAgent: text("user_agent"),
    result: text("result").notNull(),
    errorMessage: text("error_message"),
    checksum: varchar("checksum", { length: 128 }),
    prevChecksum: varchar("prev_checksum", { length: 128 }),
    chainSeq: bigint("chain_seq", { mode: "bigint" }),
    sealTx: xid8("seal_tx").default(sql`pg_current_xact_id()`),
    sealedAt: instant("sealed_at").notNull().defaultNow(),
  },
  (t) => [
    check("audit_logs_actor_type_check", sql`actor_type IN ('user', 'api_key', 'agent', 'system', 'ai_agent')`),
    check("audit_logs_result_check", sql`result IN ('success', 'failure', 'denied')`),
    check(
      "audit_logs_timestamp_check",
      sql`"timestamp" >= '1970-01-01T00:00:00Z' AND "timestamp" < '10000-01-01T00:00:00Z'`,
    ),
    uniqueIndex("audit_logs_org_seq_key").on(t.orgId, t.chainSeq).where(sql`chain_seq IS NOT NULL`),
    index("audit_logs_org_ts_idx").on(t.orgId, t.timestamp, t.chainSeq),
    index("audit_logs_denied_idx").on(t.orgId, t.timestamp).where(sql`result = 'denied'`),
    index("audit_logs_failure_idx").on(t.orgId, t.timestamp).where(sql`result = 'failure'`),
    index("audit_logs_retention_idx")
      .on(t.orgId, t.chainSeq)
      .where(sql`action = 'organization.audit_retention.update'`),
    index("audit_logs_submitted_idx").on(t.orgId, t.timestamp, t.chainSeq).where(sql`details ? 'submittedBy'`),
    index("audit_logs_unsealed_idx").on(t.sealTx).where(sql`chain_seq IS NULL`),
  ],
);

/**
 * Newest sealed row of each chain, one per organization, and its pruned prefix. The sequence is in the key, so that the
 * newest version is found at once, however many older ones a long snapshot keeps.
 */
export const auditChainHeads = pgTable(
  "audit_chain_heads",
  {
    orgId: uuid("org_id").notNull(),
    seq: bigint("seq", { mode: "bigint" }).notNull(),
    checksum: varchar("checksum", { length: 128 }).notNull(),
    prunedThroughSeq: bigint("pruned_through_seq", { mode: "bigint" }).notNull().default(sql`0`),
    prunedThroughChecksum: varchar("pruned_through_checksum", { length: 128 }),
  },
  (t) => [primaryKey({ name: "audit_chain_heads_pkey", columns: [t.orgId, t.seq] })],
);

/** Spec: table audit_retention_policies. */
export const auditRetentionPolicies = pgTable(
  "audit_retention_policies",
  {
    orgId: uuid("org_id")
      .primaryKey()
      .references(() => organizations.id, { onDelete: "cascade" }),
    retentionDays: integer("retention_days").notNull().default(365),
    archiveToS3: boolean("archive_to_s3").notNull().default(false),
    lastCleanupAt: instant("last_cleanup_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  () => [
    check("audit_retention_policies_days_check", sql`retention_days BETWEEN 1 AND 3650`),
    check("audit_retention_policies_archive_check", sql`NOT archive_to_s3`),
  ],
);
