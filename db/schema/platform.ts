import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { count, id, instant } from "./columns";

/** Backups and restores by this installation's commands. takenAt: start of the backup, also for a restore. */
export const backupRuns = pgTable(
  "backup_runs",
  {
    id: id(),
    kind: text("kind", { enum: ["backup", "restore"] }).notNull(),
    ranAt: instant("ran_at").notNull().defaultNow(),
    takenAt: instant("taken_at").notNull(),
    file: text("file").notNull(),
    bytes: count("bytes").notNull(),
    hasKeys: boolean("has_keys").notNull(),
  },
  (t) => [
    check("backup_runs_kind_check", sql`kind IN ('backup', 'restore')`),
    check("backup_runs_bytes_check", sql`bytes >= 0`),
    index("backup_runs_kind_ran_idx").on(t.kind, t.ranAt),
  ],
);

/**
 * Answer to a request with an Idempotency-Key; without a status it is still running. caller and keyHash are hashes;
 * answer is sealed with a key derived from the caller's Idempotency-Key and the server's secret.
 */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    caller: text("caller").notNull(),
    keyHash: text("key_hash").notNull(),
    requestHash: text("request_hash").notNull(),
    status: integer("status"),
    answer: text("answer"),
    claimedAt: instant("claimed_at").notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: "idempotency_keys_pkey", columns: [t.caller, t.keyHash] }),
    index("idempotency_keys_claimed_idx").on(t.claimedAt),
  ],
);

/**
 * Attempts counted across processes by rate-limiter-flexible; key is a hash, expire in ms. Unlogged: lost in a crash.
 */
export const sharedLimits = pgTable(
  "shared_limits",
  {
    key: text("key").notNull(),
    points: integer("points").notNull(),
    expire: count("expire"),
  },
  (t) => [primaryKey({ name: "shared_limits_pkey", columns: [t.key] })],
);
