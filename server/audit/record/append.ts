import type postgres from "postgres";
import { layout } from "@/db/citus/layout";
import { connectApp } from "@/db/connect";
import { retried } from "@/db/retry";
import { type AuditInsert, COLUMNS, FIELDS } from "@/server/audit/row";
import { env } from "@/server/ground/env";

const BATCH_COLUMNS = FIELDS.map((field) => ({ field, type: COLUMNS[field].type }));

/**
 * Writes and seals a batch through audit_append, in its own transaction; serialization failures and deadlocks are
 * retried.
 * @param sql the application role's pool; never a connection inside a transaction
 * @param rows of any organizations, in chain order
 * @returns rows that were not stored because another entry has their id; a known event is skipped
 * @throws PostgresError 22001, 22P02 or 23514 for a value that its column refuses
 */
export async function appendAudit(sql: postgres.Sql, rows: readonly AuditInsert[]): Promise<readonly object[]> {
  return rows.length === 0 ? [] : retried(() => layout().append(sql, { columns: BATCH_COLUMNS, rows }));
}

/** Database connection of the batch writer. */
export type WriterConnection = {
  /** Batches that may be in flight at once. */
  batches: () => number;
  /** @returns rows that were not stored because another entry has their id */
  append: (rows: AuditInsert[]) => Promise<readonly object[]>;
  /** Makes the next append use a new connection. */
  reset: () => void;
  close: () => Promise<void>;
};

/** A dedicated connection for the batch writer, so that no request runs between two batches. */
export function writerConnection(url = () => env().DATABASE_URL): WriterConnection {
  let sql: postgres.Sql | null = null;
  const open = () =>
    // The batch writer has its own backoff.
    connectApp({
      name: "trailmark-audit",
      url: url(),
      max: layout().writer.connections,
      keep_alive: 10,
      backoff: () => 0,
    });
  const drop = async (timeout: number) => {
    const old = sql;
    sql = null;
    await old?.end({ timeout }).catch(() => {});
  };
  return {
    batches: () => layout().writer.batches,
    append: (rows) => {
      sql ??= open();
      return appendAudit(sql, rows);
    },
    reset: () => void drop(0),
    close: () => drop(1),
  };
}
