import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { RunReport } from "@/server/custom-fields/import/schema";
import type { FieldValue } from "@/server/custom-fields/schema";

/** Values by definition id; null for none. */
export type Values = Record<string, FieldValue | null>;
/** What an import changed on one device: what undo and the read-back go by. */
export type Change = {
  rowNo: number;
  orgId: string;
  deviceId: string;
  previous: Values;
  written: Values;
  recordedSourceId: string | null;
};

/** In the transaction that makes the changes. */
export async function insertChanges(tx: Tx, importId: string, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.execute(sql`
    INSERT INTO custom_field_import_changes (import_id, row_no, org_id, device_id, previous, written, recorded_source_id)
    SELECT ${importId}::uuid, r."rowNo", r."orgId", r."deviceId", r.previous, r.written, r."recordedSourceId"
    FROM jsonb_to_recordset(${JSON.stringify(changes)}::text::jsonb)
      AS r("rowNo" int, "orgId" uuid, "deviceId" uuid, previous jsonb, written jsonb, "recordedSourceId" text)
    ON CONFLICT (import_id, row_no) DO NOTHING`);
}

/** The next changes that are not undone, with what their devices hold now (null: nothing), locked. */
export async function lockChanges(
  tx: Tx,
  importId: string,
  { after, limit }: { after: number; limit: number },
): Promise<(Change & { now: Values | null })[]> {
  const page = sql`
    SELECT * FROM custom_field_import_changes
    WHERE import_id = ${importId}::uuid AND row_no > ${after} AND NOT undone ORDER BY row_no LIMIT ${limit}`;
  // Locked in the order of the devices, as every writer of many values does.
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

/** What the import wrote for some rows and what was there before, by row number. */
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
    WHERE import_id = ${importId}::uuid AND row_no = ANY(${`{${rowNos.join(",")}}`}::int[])`,
  );
  return new Map(rows.map((row) => [row.rowNo, row]));
}

/** Of the written values, how many their devices hold now: counted from the tables, not from what was intended. */
export async function readBack(
  tx: Tx,
  importId: string,
  fieldIds: readonly string[],
): Promise<NonNullable<RunReport["readBack"]>> {
  if (fieldIds.length === 0) return [];
  const counts = fieldIds.map(
    (id) => sql`count(*) FILTER (WHERE c.written ? ${id}),
      count(*) FILTER (WHERE c.written ? ${id} AND COALESCE(v."values" -> ${id}::text, 'null') = c.written -> ${id}::text)`,
  );
  const [row] = await rowsOf<{ counts: number[] }>(
    tx,
    sql`
    SELECT jsonb_build_array(${sql.join(counts, sql`, `)}) AS counts
    FROM custom_field_import_changes c LEFT JOIN custom_field_values v ON v.device_id = c.device_id
    WHERE c.import_id = ${importId}::uuid`,
  );
  const counted = row?.counts ?? [];
  return fieldIds.map((fieldId, i) => ({ fieldId, written: counted[2 * i] ?? 0, found: counted[2 * i + 1] ?? 0 }));
}

export type Touched = { orgId: string; devices: number; values: Record<string, number> };

/** Per organization: how many devices an import changed, and how many values of which field. */
export const touchedOrganizations = (tx: Tx, importId: string) =>
  rowsOf<Touched>(
    tx,
    sql`
    SELECT touched."orgId", touched.devices, counted.values FROM (
      SELECT org_id AS "orgId", count(*)::int AS devices FROM custom_field_import_changes
      WHERE import_id = ${importId}::uuid AND written <> '{}' GROUP BY org_id
    ) touched JOIN (
      SELECT "orgId", jsonb_object_agg(key, count) AS values FROM (
        SELECT c.org_id AS "orgId", COALESCE(d.field_key, written.id) AS key, count(*) AS count
        FROM custom_field_import_changes c CROSS JOIN LATERAL jsonb_object_keys(c.written) written(id)
        LEFT JOIN custom_field_definitions d ON d.id = written.id::uuid
        WHERE c.import_id = ${importId}::uuid GROUP BY 1, 2
      ) field GROUP BY "orgId"
    ) counted USING ("orgId")`,
  );
