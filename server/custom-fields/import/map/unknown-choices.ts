import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { coerceText } from "@/server/custom-fields/coerce";
import type { DefinitionRow } from "@/server/custom-fields/definition";
import type { SourceColumn } from "@/server/custom-fields/import/plan-schema";
import {
  type ActivePlanField,
  activeFields,
  isHidden,
  MAX_DECIDED_TEXT,
  type Plan,
  type UnknownChoices,
} from "@/server/custom-fields/import/plan-schema";

/** Different values shown of a column's undecided ones. */
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

/** A planned field as its definition is now. */
function current(field: ActivePlanField, definitions: readonly DefinitionRow[]): ActivePlanField {
  const definition = definitions.find(({ id }) => id === field.fieldId);
  return definition ? { ...field, type: definition.type, options: definition.options } : field;
}

/** One column's values that are none of the choices: the undecided ones counted, the decided ones kept in sight. */
function unknownOf(field: ActivePlanField, used: readonly Used[], hidden: boolean): UnknownChoices[] {
  const unknown = used.filter(({ column, text }) => column === field.column && !coerceText(field, text).ok);
  if (unknown.length === 0) return [];
  const decided = new Set(field.decisions.map(({ text }) => text));
  const open = unknown.filter(({ text }) => !decided.has(text));
  const shown = new Set(
    open
      .filter(({ text }) => text.length <= MAX_DECIDED_TEXT)
      .slice(0, SHOWN)
      .map(({ text }) => text),
  );
  const values = unknown.flatMap(({ text, uses, line }) =>
    decided.has(text) || shown.has(text) ? [{ text, uses, line }] : [],
  );
  return [
    {
      column: field.column,
      count: open.reduce((sum, value) => sum + value.uses, 0),
      different: open.length,
      values: hidden ? [] : values,
    },
  ];
}

type Known = { importId: string; plan: Plan; definitions: readonly DefinitionRow[]; columns: readonly SourceColumn[] };

/** Values of the planned dropdowns that are none of their choices, by column: how many, which, and where. */
export async function unknownChoices(
  tx: Tx,
  { importId, plan, definitions, columns }: Known,
): Promise<UnknownChoices[]> {
  const dropdowns = activeFields(plan)
    .map((field) => current(field, definitions))
    .filter(({ type }) => type === "dropdown");
  if (dropdowns.length === 0) return [];
  const uses = await readUses(
    tx,
    importId,
    dropdowns.map(({ column }) => column),
  );
  return dropdowns.flatMap((field) => {
    const column = columns[field.column];
    return unknownOf(field, uses, column ? isHidden(column, field) : field.secret);
  });
}
