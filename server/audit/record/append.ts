import type postgres from "postgres";
import { layout } from "@/db/citus/layout";
import { connectApp } from "@/db/connect";
import { retried } from "@/db/retry";
import { type AuditInsert, COLUMNS, FIELDS } from "@/server/audit/row";
import { env } from "@/server/ground/env";

const BATCH_COLUMNS = FIELDS.map((field) => ({ field, type: COLUMNS[field].type }));

/**
 * Writes and seals a batch through the database's audit_append, in its own transaction; a serialization failure or
 * deadlock is retried.
 * @param sql the application role's pool; never a connection inside a transaction
 * @param rows of any organizations, in the order in which they are to be chained
 * @returns the rows whose id is another entry's: they are not stored; a known event is skipped
 * @throws PostgresError 22001, 22P02 or 23514 for a value its column refuses
 */
export async function appendAudit(sql: postgres.Sql, rows: readonly AuditInsert[]): Promise<readonly object[]> {
  return rows.length === 0 ? [] : retried(() => layout().append(sql, { columns: BATCH_COLUMNS, rows }));
}

/** The batch writer's way to a database. */
export type WriterConnection = {
  /** How many batches may be on their way at once. */
  batches: () => number;
  /** @returns the rows whose id is another entry's */
  append: (rows: AuditInsert[]) => Promise<readonly object[]>;
  /** Makes the next append use a new connection. */
  reset: () => void;
  close: () => Promise<void>;
};

/** A connection for the batch writer alone, so that no request ever comes between two batches. */
export function writerConnection(url = () => env().DATABASE_URL): WriterConnection {
  let sql: postgres.Sql | null = null;
  const open = () =>
    // The batch writer backs off itself.
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
