import { sql } from "drizzle-orm";
import { ints } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** A distinct value replaced by a change, and its rows. */
export type EditPart = { before: string; after: string; rowNos: number[] };
type Import = { id: string; partnerId: string };
type Numbered = { editNo: number; column: number };

/** Rows by their value in a column, selected by a condition (`c.text`) or row number. */
export const readCells = (
  tx: Tx,
  importId: string,
  { column, match, find }: { column: number; match: "row" | "cell" | "part"; find: string },
) =>
  rowsOf<{ before: string; rowNos: number[] }>(
    tx,
    sql`
    SELECT c.text AS before, array_agg(r.row_no ORDER BY r.row_no) AS "rowNos"
    FROM custom_field_import_rows r CROSS JOIN LATERAL (SELECT COALESCE(r.cells ->> ${column}::int, '') AS text) c
    WHERE r.import_id = ${importId}::uuid AND r.fault IS NULL AND ${
      match === "row"
        ? sql`r.row_no = ${find}::int`
        : match === "cell"
          ? sql`c.text = ${find}`
          : sql`strpos(c.text, ${find}) > 0`
    }
    GROUP BY 1 ORDER BY 1`,
  );

/** Writes a value into a column of rows (null: none); shorter rows are padded with missing values. */
export async function writeCells(
  tx: Tx,
  importId: string,
  { column, rowNos, text }: { column: number; rowNos: readonly number[]; text: string | null },
): Promise<void> {
  await tx.execute(sql`
    UPDATE custom_field_import_rows SET cells = jsonb_set(
      cells || COALESCE(
        (SELECT jsonb_agg(NULL::text) FROM generate_series(jsonb_array_length(cells), ${column}::int)), '[]'),
      ARRAY[${String(column)}], COALESCE(to_jsonb(${text}::text), 'null'))
    WHERE import_id = ${importId}::uuid AND row_no = ANY(${ints(rowNos)})`);
}

export async function insertEdit(
  tx: Tx,
  { id, partnerId }: Import,
  { editNo, column, parts }: Numbered & { parts: readonly EditPart[] },
): Promise<void> {
  await tx.execute(sql`
    INSERT INTO custom_field_import_edits (import_id, edit_no, part, partner_id, column_no, before, after, row_nos)
    SELECT ${id}::uuid, ${editNo}, p.part, ${partnerId}::uuid, ${column}, p.before, p.after, p."rowNos"
    FROM jsonb_to_recordset(${JSON.stringify(parts.map((part, i) => ({ ...part, part: i })))}::text::jsonb)
      AS p(part int, before text, after text, "rowNos" int[])`);
}

/** Removes a change from the list. @returns the removed change */
export const claimEdit = (tx: Tx, importId: string, editNo: number) =>
  rowsOf<EditPart>(
    tx,
    sql`
    DELETE FROM custom_field_import_edits WHERE import_id = ${importId}::uuid AND edit_no = ${editNo}
    RETURNING before, after, row_nos AS "rowNos"`,
  );

/** Forgets edits of some columns, which can then no longer be undone. */
export async function forgetEdits(tx: Tx, importId: string, columns: readonly number[]): Promise<void> {
  await tx.execute(sql`
    DELETE FROM custom_field_import_edits
    WHERE import_id = ${importId}::uuid AND column_no = ANY(${ints(columns)})`);
}
