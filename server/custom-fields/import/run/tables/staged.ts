import { type SQL, sql } from "drizzle-orm";
import { ints } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { PlanIdentifiers } from "@/server/custom-fields/import/plan-schema";
import type { StagedRow } from "@/server/custom-fields/import/reader/stage-rows";

/** Rows of an import after one number up to another; they count from 1 without gaps. */
export type Range = { after: number; through: number };
type Import = { id: string; partnerId: string };

/** @param json staged rows as a JSON text. */
export async function insertStaged(tx: Tx, { id, partnerId }: Import, json: string): Promise<void> {
  await tx.execute(sql`
    INSERT INTO custom_field_import_rows (import_id, row_no, partner_id, file_no, line, cells, fault)
    SELECT ${id}::uuid, r."rowNo", ${partnerId}::uuid, r."fileNo", r.line, r.cells, r.fault
    FROM jsonb_to_recordset(${json}::text::jsonb)
      AS r("rowNo" int, "fileNo" smallint, line int, cells jsonb, fault text)`);
}

/** Empties tables of an import. */
export async function clearTables(
  tx: Tx,
  importId: string,
  tables: readonly ("rows" | "results" | "changes" | "edits")[],
): Promise<void> {
  for (const table of tables)
    await tx.execute(
      sql`DELETE FROM ${sql.identifier(`custom_field_import_${table}`)} WHERE import_id = ${importId}::uuid`,
    );
}

/** Empties columns in a range of rows: secrets not chosen for import. */
export async function forgetColumns(
  tx: Tx,
  importId: string,
  { columns, after, through }: Range & { columns: readonly number[] },
): Promise<void> {
  await tx.execute(sql`
    UPDATE custom_field_import_rows SET cells = (
      SELECT jsonb_agg(CASE WHEN place - 1 = ANY(${ints(columns)}) THEN '""' ELSE cell END ORDER BY place)
      FROM jsonb_array_elements(cells) WITH ORDINALITY c(cell, place)
    )
    WHERE import_id = ${importId}::uuid AND row_no > ${after} AND row_no <= ${through}
      AND fault IS NULL AND cells <> '[]'`);
}

/** Rows that a range selects. */
export const inRange = ({ after, through }: Range): SQL => sql`row_no > ${after} AND row_no <= ${through}`;

/** Staged rows that meet a condition, in order. */
export const readStaged = (tx: Tx, importId: string, where: SQL) =>
  rowsOf<StagedRow>(
    tx,
    sql`
    SELECT row_no AS "rowNo", file_no AS "fileNo", line, cells, fault FROM custom_field_import_rows
    WHERE import_id = ${importId}::uuid AND ${where} ORDER BY row_no`,
  );

/** Hostnames per identifier before it counts as a placeholder; two are reported as a conflict. */
const MAX_HOSTNAMES = 2;

/** Lowercase IDs and serial numbers that a file gives to many hostnames: they identify nothing. */
export async function sharedIdentifiers(
  tx: Tx,
  { importId, identifiers }: { importId: string; identifiers: PlanIdentifiers },
): Promise<ReadonlySet<string>> {
  const { sourceId, serial, hostname } = identifiers;
  const columns = [sourceId, serial].filter((column) => column !== null);
  if (hostname === null || columns.length === 0) return new Set();
  const found = await rowsOf<{ text: string }>(
    tx,
    sql`
    SELECT DISTINCT given.text
    FROM (
      SELECT place, lower(trim(cells ->> place)) AS text, split_part(lower(trim(cells ->> ${hostname}::int)), '.', 1) AS host
      FROM custom_field_import_rows, unnest(${ints(columns)}) place
      WHERE import_id = ${importId}::uuid AND fault IS NULL
    ) given
    WHERE given.text <> '' AND given.host <> ''
    GROUP BY given.place, given.text
    HAVING count(DISTINCT given.host) > ${MAX_HOSTNAMES}`,
  );
  return new Set(found.map(({ text }) => text));
}
