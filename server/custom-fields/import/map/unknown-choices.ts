import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { coerceText } from "@/server/custom-fields/coerce";
import { activeFields, type Plan, type UnknownChoices } from "@/server/custom-fields/import/schema";

/** Different values shown of a column's unknown ones. */
const SHOWN = 50;
type Used = { column: number; text: string; uses: number; line: number };

/** Every different value of some columns with its number of uses and first line: one statement for all of them. */
async function readUses(tx: Tx, importId: string, columns: readonly number[]): Promise<Used[]> {
  const cells = columns.map((column) => sql`(${column}::int, r.cells ->> ${column}::int)`);
  return rowsOf<Used>(
    tx,
    sql`
    SELECT c.column_no AS "column", c.text, count(*)::int AS uses, min(r.line)::int AS line
    FROM custom_field_import_rows r CROSS JOIN LATERAL (VALUES ${sql.join(cells, sql`, `)}) AS c(column_no, text)
    WHERE r.import_id = ${importId}::uuid AND r.fault IS NULL AND c.text <> ''
    GROUP BY 1, 2 ORDER BY 3 DESC, 2`,
  );
}

/** Values of the planned dropdowns that are none of their choices, by column: how many, which, and where. */
export async function unknownChoices(
  tx: Tx,
  { importId, plan }: { importId: string; plan: Plan },
): Promise<UnknownChoices[]> {
  const dropdowns = activeFields(plan).filter(({ type }) => type === "dropdown");
  if (dropdowns.length === 0) return [];
  const uses = await readUses(
    tx,
    importId,
    dropdowns.map(({ column }) => column),
  );
  return dropdowns.flatMap((field) => {
    const unknown = uses.filter(({ column, text }) => column === field.column && !coerceText(field, text).ok);
    if (unknown.length === 0) return [];
    const count = unknown.reduce((sum, value) => sum + value.uses, 0);
    const values = unknown.slice(0, SHOWN).map(({ text, uses, line }) => ({ text, uses, line }));
    return [{ column: field.column, count, different: unknown.length, values: field.secret ? [] : values }];
  });
}
