import type postgres from "postgres";
import { connectApp } from "@/db/connect";
import type { AuditInsert } from "@/server/audit/row";
import { env } from "@/server/ground/env";
import { appendAudit } from "./append";

/** The batch writer's way to a database. */
export type WriterConnection = {
  /** How many batches may be on their way at once. */
  batches: () => number;
  append: (rows: AuditInsert[]) => Promise<unknown>;
  /** Makes the next append use a new connection. */
  reset: () => void;
  close: () => Promise<void>;
};

/** Where the tables are distributed, the organizations of a batch are written beside each other, */
const CITUS_CONNECTIONS = 8;
/** and a second batch would overtake the first one. */
const CITUS_BATCHES = 1;
/** The second one is sent while the database works on the first. */
const BATCHES = 2;

/** A connection for the batch writer alone, so that no request ever comes between two batches. */
export function writerConnection(url = () => env().DATABASE_URL): WriterConnection {
  let sql: postgres.Sql | null = null;
  const open = () =>
    // The batch writer backs off itself.
    connectApp({
      name: "trailmark-audit",
      url: url(),
      max: env().TRAILMARK_CITUS ? CITUS_CONNECTIONS : 1,
      keep_alive: 10,
      backoff: () => 0,
    });
  const drop = async (timeout: number) => {
    const old = sql;
    sql = null;
    await old?.end({ timeout }).catch(() => {});
  };
  return {
    batches: () => (env().TRAILMARK_CITUS ? CITUS_BATCHES : BATCHES),
    append: (rows) => {
      sql ??= open();
      return appendAudit(sql, rows);
    },
    reset: () => void drop(0),
    close: () => drop(1),
  };
}
