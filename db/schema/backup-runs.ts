import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, pgTable, text } from "drizzle-orm/pg-core";
import { id, instant } from "./columns";

/** Backups and restores by this installation's commands. takenAt: when the backup was begun, also of a restore. */
export const backupRuns = pgTable(
  "backup_runs",
  {
    id: id(),
    kind: text("kind", { enum: ["backup", "restore"] }).notNull(),
    ranAt: instant("ran_at").notNull().defaultNow(),
    takenAt: instant("taken_at").notNull(),
    file: text("file").notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull(),
    hasKeys: boolean("has_keys").notNull(),
  },
  (t) => [
    check("backup_runs_kind_check", sql`kind IN ('backup', 'restore')`),
    check("backup_runs_bytes_check", sql`bytes >= 0`),
    index("backup_runs_kind_ran_idx").on(t.kind, t.ranAt),
  ],
);
