import type postgres from "postgres";
import { type Statement, tenantInsert } from "@/db/client";
import type { Scope } from "@/server/ground/context";
import { writeExact } from "@/server/ground/exact-json";

/** Spec, Limits: insert batch size. */
const INSERT_BATCH_ROWS = 100;

/** INSERT … SELECT of one batch; `rows` is a FROM item that needs an alias (`${rows} AS r(column type, …)`). */
export type InsertRows = (sql: postgres.ISql, rows: Statement) => Statement;

/**
 * Stores rows in batches, all or none.
 * @returns the number of rows inserted.
 */
export async function storeRows(scope: Scope, rows: object[], insert: InsertRows): Promise<number> {
  if (rows.length === 0) return 0;
  const batches: object[][] = [];
  for (let i = 0; i < rows.length; i += INSERT_BATCH_ROWS) batches.push(rows.slice(i, i + INSERT_BATCH_ROWS));
  return tenantInsert(
    scope,
    batches.map((batch) => {
      const json = writeExact(JSON.stringify(batch));
      return (sql) => insert(sql, sql`tenant CROSS JOIN jsonb_to_recordset(${json}::text::jsonb)`);
    }),
  );
}
