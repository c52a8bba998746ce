import { eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { asSystem, type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { customFieldDefinitions } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { invalid } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { type Coerced, coerceText, type FieldRule } from "./coerce";
import { auditableChange, type DefinitionRow, fitToType, manageable, requireRow, toDefinition } from "./definition";
import { holders, lockDefinitions } from "./definitions";
import { type Definition, definition, type FieldType, type FieldValue, retypeInput, updateInput } from "./schema";

/** Values listed in an error. */
const NAMED = 3;

/** Converts a stored value to another type by parsing its text. */
const convert = (rule: FieldRule, value: FieldValue): Coerced => coerceText(rule, String(value).trim());

/** Converts a definition's default to a new type. @throws AppError validation_failed where it does not fit. */
function convertDefault(rule: FieldRule, value: FieldValue | null): FieldValue | null {
  if (value === null) return null;
  const converted = convert(rule, value);
  if (!converted.ok) throw invalid("type", `the default value ${converted.reason}`);
  return converted.value;
}

/**
 * Converts every stored value of a field in every organization, or none. Writers of values wait until it ends.
 * @throws AppError validation_failed when values do not fit, with their number and (unless secret) the values
 */
async function convertValues(tx: Tx, row: DefinitionRow, rule: FieldRule): Promise<void> {
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

type Change = Omit<z.output<typeof retypeInput>, "type"> & { type?: FieldType };

/** New state of a definition; options and default follow a new type. @throws AppError validation_failed. */
function changed(row: DefinitionRow, input: Change, updatedAt: Date): Partial<DefinitionRow> {
  const type = input.type ?? row.type;
  const kept = type === row.type || type === "dropdown" ? row.options : null;
  const options = input.options === undefined ? kept : input.options;
  const isGiven = input.defaultValue !== undefined;
  const before = type === row.type ? row.defaultValue : convertDefault({ type, options }, row.defaultValue);
  const fitted = fitToType({ type, options, defaultValue: isGiven ? (input.defaultValue ?? null) : before });
  return {
    name: input.name ?? row.name,
    type,
    required: input.required ?? row.required,
    secret: input.secret ?? row.secret,
    deviceTypes:
      input.deviceTypes === undefined ? row.deviceTypes : input.deviceTypes?.length ? input.deviceTypes : null,
    ...fitted,
    updatedAt,
  };
}

async function store(tx: Tx, id: string, values: Partial<DefinitionRow>): Promise<DefinitionRow> {
  const [stored] = await tx
    .update(customFieldDefinitions)
    .set(values)
    .where(eq(customFieldDefinitions.id, id))
    .returning();
  return requireRow(stored);
}

/** A definition before and after a change. */
type Changed = { before: DefinitionRow; after: DefinitionRow };

/**
 * Stores definition and values in one transaction, including values of organizations outside the caller's reach.
 * Changes made by others while waiting for writers are read again and kept.
 */
function storeConverted(ctx: Ctx, found: DefinitionRow, input: Change): Promise<Changed> {
  return asSystem(async (tx) => {
    await lockDefinitions(tx, found);
    const rows = await tx
      .select()
      .from(customFieldDefinitions)
      .where(eq(customFieldDefinitions.id, found.id))
      .for("update");
    const before = requireRow(rows[0]);
    const values = changed(before, input, ctx.now());
    await convertValues(tx, before, { type: values.type ?? before.type, options: values.options ?? null });
    return { before, after: await store(tx, before.id, values) };
  });
}

async function change(ctx: Ctx, input: Change): Promise<Definition> {
  const found = await tenant(ctx.scope, async (tx) => {
    const before = await manageable(tx, ctx, input.id);
    const values = changed(before, input, ctx.now());
    return { before, after: values.type === before.type ? await store(tx, before.id, values) : null };
  });
  const stored = found.after ? { ...found, after: found.after } : await storeConverted(ctx, found.before, input);
  const [before, after] = [toDefinition(stored.before), toDefinition(stored.after)];
  record(ctx, {
    action: "custom_field.update",
    orgId: after.orgId ?? ctx.homeOrgId,
    ...resourceOf("custom_field", after),
    details: auditableChange(before, after),
  });
  return after;
}

/**
 * Changes a definition except key and type. Stored values are unaffected.
 * @throws AppError not_found, forbidden, or validation_failed where options or default do not fit the type.
 */
export const updateDefinition = operation({
  permission: "custom_fields:manage",
  input: updateInput,
  output: definition,
  version: (changed) => changed,
  run: change,
});

/**
 * Changes the type: converts every stored value, all or none.
 * @throws AppError not_found, forbidden, or validation_failed where a stored value, options or default do not fit it.
 */
export const retypeDefinition = operation({
  permission: "custom_fields:manage",
  input: retypeInput,
  output: definition,
  run: change,
});
