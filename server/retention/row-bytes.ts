import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** An entry with its indexes, where the table has no statistics yet. */
const USUAL_ROW_BYTES = 900;

/** An audit entry's size on disk with its indexes, on average over all organizations, by the table's statistics. */
export async function rowBytes(tx: Tx): Promise<number> {
  const [row] = await rowsOf<{ bytes: number | null }>(
    tx,
    sql`SELECT (pg_total_relation_size(c.oid) / NULLIF(greatest(c.reltuples, 0), 0))::float8 AS bytes
      FROM pg_class c WHERE c.oid = 'audit_logs'::regclass`,
  );
  return Math.round(row?.bytes ?? USUAL_ROW_BYTES);
}
