import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { invalid } from "@/server/ground/errors";
import { type Coerced, coerceText, type FieldRule } from "./coerce";
import type { DefinitionRow } from "./definition";
import { holders } from "./holders";
import type { FieldValue } from "./schema";

/** Values named of those that do not fit. */
const NAMED = 3;

/** A stored value as another type would have it: read from what it looks like. */
const convert = (rule: FieldRule, value: FieldValue): Coerced => coerceText(rule, String(value).trim());

/** How a value that the definition holds reads in a new type. @throws AppError validation_failed where it does not. */
export function convertDefault(rule: FieldRule, value: FieldValue | null): FieldValue | null {
  if (value === null) return null;
  const converted = convert(rule, value);
  if (!converted.ok) throw invalid("type", `the default value ${converted.reason}`);
  return converted.value;
}

/**
 * Rewrites every stored value of a field in another type, in every organization that has one: all of them or none.
 * Writers of values wait meanwhile.
 * @throws AppError validation_failed when a value does not fit, with how many and (unless they are secret) which.
 */
export async function convertValues(tx: Tx, row: DefinitionRow, rule: FieldRule): Promise<void> {
  await tx.execute(sql`LOCK TABLE custom_field_values IN SHARE ROW EXCLUSIVE MODE`);
  const held = await rowsOf<{ value: FieldValue; uses: number }>(
    tx,
    sql`SELECT v."values" -> ${row.id}::text AS value, count(*)::int AS uses FROM ${holders(row)} GROUP BY 1`,
  );
  const converted = held.map(({ value, uses }) => ({ value, uses, to: convert(rule, value) }));
  const misfits = converted.filter(({ to }) => !to.ok);
  if (misfits.length > 0) {
    const count = misfits.reduce((sum, { uses }) => sum + uses, 0);
    const which = row.secret
      ? ""
      : `: ${misfits
          .slice(0, NAMED)
          .map(({ value }) => value)
          .join(", ")}`;
    throw invalid("type", `${count} stored ${count === 1 ? "value does" : "values do"} not fit ${rule.type}${which}`);
  }
  const pairs = converted.flatMap(({ value, to }) =>
    to.ok && to.value !== value ? [{ before: value, after: to.value }] : [],
  );
  await tx.execute(sql`
    UPDATE custom_field_values h
    SET "values" = jsonb_set(h."values", ARRAY[${row.id}], p.after), updated_at = now()
    FROM jsonb_to_recordset(${JSON.stringify(pairs)}::text::jsonb) AS p(before jsonb, after jsonb)
    WHERE h.device_id IN (SELECT v.device_id FROM ${holders(row)}) AND h."values" -> ${row.id}::text = p.before`);
}
