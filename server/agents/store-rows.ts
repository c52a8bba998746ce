import { type SQL, sql } from "drizzle-orm";
import { tenant, tenantInsert } from "@/db/client";
import type { Scope } from "../context";

/** Spec, Limits: insert batch size. */
const INSERT_BATCH_ROWS = 100;

/**
 * Stores rows in batches, all of them or none. `insert` makes the INSERT … SELECT from a FROM item that yields the
 * batch as a record set (`… FROM ${rows} AS r(column type, …)`).
 * @returns how many rows were inserted.
 */
export async function storeRows(scope: Scope, rows: object[], insert: (rows: SQL) => SQL): Promise<number> {
  if (rows.length === 0) return 0;
  const recordSet = (batch: object[]) => sql`jsonb_to_recordset(${JSON.stringify(batch)}::text::jsonb)`;
  if (rows.length <= INSERT_BATCH_ROWS)
    return (await tenantInsert(scope, insert(sql`tenant CROSS JOIN ${recordSet(rows)}`))).count;
  const batches: object[][] = [];
  for (let i = 0; i < rows.length; i += INSERT_BATCH_ROWS) batches.push(rows.slice(i, i + INSERT_BATCH_ROWS));
  // The statements leave together, one behind the other on one connection: a single round trip.
  const results = await tenant(scope, (tx) =>
    Promise.all(batches.map((batch) => tx.execute(insert(recordSet(batch))))),
  );
  return results.reduce((sum, { count }) => sum + count, 0);
}
