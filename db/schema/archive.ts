import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { count, createdAt, id, instant } from "./columns";
import { withOrganization } from "./organizations";
import { withStream } from "./streams";

/** Archived objects, recorded after they were read back and hashed. digest: SHA-256 of the object, in hex. */
export const archiveObjects = pgTable(
  "archive_objects",
  {
    id: id(),
    streamId: withStream(),
    orgId: withOrganization(),
    firstSeq: count("first_seq").notNull(),
    lastSeq: count("last_seq").notNull(),
    firstAt: instant("first_at").notNull(),
    lastAt: instant("last_at").notNull(),
    rows: integer("rows").notNull(),
    bytes: count("bytes").notNull(),
    key: text("key").notNull(),
    digest: text("digest").notNull(),
    etag: text("etag"),
    versionId: text("version_id"),
    lockMode: text("lock_mode"),
    lockUntil: instant("lock_until"),
    /** Fault found by the last check. */
    fault: text("fault"),
    checkedAt: instant("checked_at").notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex("archive_objects_range_key").on(t.orgId, t.streamId, t.firstSeq)],
);

/** Ranges restored from an archive. The migration makes them and their entries unlogged: a crash may lose them. */
export const archiveRestorations = pgTable(
  "archive_restorations",
  {
    id: id(),
    orgId: withOrganization(),
    firstSeq: count("first_seq").notNull(),
    lastSeq: count("last_seq").notNull(),
    state: text("state", { enum: ["running", "ready", "failed"] })
      .notNull()
      .default("running"),
    rows: integer("rows").notNull().default(0),
    error: text("error"),
    createdAt: createdAt(),
    expiresAt: instant("expires_at").notNull(),
  },
  (t) => [
    check("archive_restorations_state_check", sql`state IN ('running', 'ready', 'failed')`),
    index("archive_restorations_org_idx").on(t.orgId),
  ],
);

/** Their entries, in the log's columns. */
export const archiveRestoredEntries = pgTable(
  "archive_restored_entries",
  {
    restorationId: uuid("restoration_id").notNull(),
    orgId: uuid("org_id").notNull(),
    chainSeq: count("chain_seq").notNull(),
    id: uuid("id").notNull(),
    timestamp: instant("timestamp").notNull(),
    actorType: text("actor_type").notNull(),
    actorId: uuid("actor_id").notNull(),
    actorEmail: text("actor_email"),
    action: text("action").notNull(),
    resourceType: text("resource_type").notNull(),
    resourceId: uuid("resource_id"),
    resourceName: text("resource_name"),
    details: jsonb("details"),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    result: text("result").notNull(),
    errorMessage: text("error_message"),
    checksum: text("checksum").notNull(),
    prevChecksum: text("prev_checksum"),
  },
  (t) => [
    primaryKey({ name: "archive_restored_entries_pkey", columns: [t.restorationId, t.chainSeq] }),
    foreignKey({
      name: "archive_restored_entries_restoration_id_archive_restorations_id_fk",
      columns: [t.restorationId],
      foreignColumns: [archiveRestorations.id],
    }).onDelete("cascade"),
  ],
);
