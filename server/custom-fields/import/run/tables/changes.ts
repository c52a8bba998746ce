import { sql } from "drizzle-orm";
import { ints } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { FieldValue } from "@/server/custom-fields/schema";
import type { Range } from "./staged";

/** Values by definition id; null for none. */
export type Values = Record<string, FieldValue | null>;
/** Changes of an import on one device, used by undo and read-back. */
export type Change = {
  rowNo: number;
  orgId: string;
  deviceId: string;
  previous: Values;
  written: Values;
  recordedSourceId: string | null;
};

/** Must run in the transaction that makes the changes. */
export async function insertChanges(tx: Tx, importId: string, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.execute(sql`
    INSERT INTO custom_field_import_changes (import_id, row_no, org_id, device_id, previous, written, recorded_source_id)
    SELECT ${importId}::uuid, r."rowNo", r."orgId", r."deviceId", r.previous, r.written, r."recordedSourceId"
    FROM jsonb_to_recordset(${JSON.stringify(changes)}::text::jsonb)
      AS r("rowNo" int, "orgId" uuid, "deviceId" uuid, previous jsonb, written jsonb, "recordedSourceId" text)
    ON CONFLICT (import_id, row_no) DO NOTHING`);
}

/** Next changes not undone, with the devices' current values (null: none), locked. */
export async function lockChanges(
  tx: Tx,
  importId: string,
  { after, limit }: { after: number; limit: number },
): Promise<(Change & { now: Values | null })[]> {
  const page = sql`
    SELECT * FROM custom_field_import_changes
    WHERE import_id = ${importId}::uuid AND row_no > ${after} AND NOT undone ORDER BY row_no LIMIT ${limit}`;
  // Locks in device order, like every writer of many values.
  await tx.execute(sql`
    SELECT 1 FROM custom_field_values v WHERE v.device_id IN (SELECT device_id FROM (${page}) c)
    ORDER BY v.device_id FOR UPDATE OF v`);
  return rowsOf(
    tx,
    sql`
    SELECT c.row_no AS "rowNo", c.org_id AS "orgId", c.device_id AS "deviceId", c.previous, c.written,
      c.recorded_source_id AS "recordedSourceId", v."values" AS now
    FROM (${page}) c LEFT JOIN custom_field_values v ON v.device_id = c.device_id ORDER BY c.row_no`,
  );
}

/** True if a change after a row is not undone. */
export async function hasChanges(tx: Tx, importId: string, after: number): Promise<boolean> {
  const found = await tx.execute(sql`
    SELECT 1 FROM custom_field_import_changes
    WHERE import_id = ${importId}::uuid AND row_no > ${after} AND NOT undone LIMIT 1`);
  return found.length > 0;
}

export async function markUndone(
  tx: Tx,
  importId: string,
  { after, through }: { after: number; through: number },
): Promise<void> {
  await tx.execute(sql`
    UPDATE custom_field_import_changes SET undone = true
    WHERE import_id = ${importId}::uuid AND row_no > ${after} AND row_no <= ${through}`);
}

type Written = { rowNo: number } & Pick<Change, "previous" | "written">;

/** Values written for some rows and their previous values, by row number. */
export async function readWritten(
  tx: Tx,
  importId: string,
  rowNos: readonly number[],
): Promise<ReadonlyMap<number, Written>> {
  if (rowNos.length === 0) return new Map();
  const rows = await rowsOf<Written>(
    tx,
    sql`
    SELECT row_no AS "rowNo", previous, written FROM custom_field_import_changes
    WHERE import_id = ${importId}::uuid AND row_no = ANY(${ints(rowNos)})`,
  );
  return new Map(rows.map((row) => [row.rowNo, row]));
}

/** Last row written; 0 if none. */
export async function lastChange(tx: Tx, importId: string): Promise<number> {
  const [row] = await rowsOf<{ last: number | null }>(
    tx,
    sql`SELECT max(row_no) AS last FROM custom_field_import_changes WHERE import_id = ${importId}::uuid`,
  );
  return row?.last ?? 0;
}

/** Counts of one organization and field; each device counts under one field only. */
type WrittenCount = { orgId: string; fieldId: string; devices: number; written: number; found: number };

/**
 * Number of values written to a range of rows that devices still hold, counted from the tables. A device's values are
 * unpacked once, not per field, and looked up by key.
 */
export const countWritten = (tx: Tx, importId: string, { after, through }: Range) =>
  rowsOf<WrittenCount>(
    tx,
    sql`
    SELECT c.org_id AS "orgId", w.key AS "fieldId", count(*) FILTER (WHERE w.place = 1)::int AS devices,
      count(*)::int AS written, count(*) FILTER (WHERE COALESCE(v.held -> w.key, 'null') = w.value)::int AS found
    FROM custom_field_import_changes c
    LEFT JOIN LATERAL (
      SELECT "values" || '{}' AS held FROM custom_field_values WHERE device_id = c.device_id OFFSET 0
    ) v ON true
    CROSS JOIN LATERAL jsonb_each(c.written) WITH ORDINALITY w(key, value, place)
    WHERE c.import_id = ${importId}::uuid AND c.row_no > ${after} AND c.row_no <= ${through}
    GROUP BY 1, 2`,
  );
