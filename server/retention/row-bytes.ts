import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** Size of an entry with its indexes, for tables without statistics. */
const USUAL_ROW_BYTES = 900;

/** Average size of an audit entry on disk with indexes, over all organizations, from table statistics. */
export async function rowBytes(tx: Tx): Promise<number> {
  const [row] = await rowsOf<{ bytes: number | null }>(
    tx,
    sql`SELECT (pg_total_relation_size(c.oid) / NULLIF(greatest(c.reltuples, 0), 0))::float8 AS bytes
      FROM pg_class c WHERE c.oid = 'audit_logs'::regclass`,
  );
  return Math.round(row?.bytes ?? USUAL_ROW_BYTES);
}
