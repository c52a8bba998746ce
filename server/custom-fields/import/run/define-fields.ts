import { and, eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { customFieldDefinitions } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import {
  auditable,
  auditableChange,
  type DefinitionRow,
  fitToType,
  toDefinition,
} from "@/server/custom-fields/definition";
import { partnerDefinitions } from "@/server/custom-fields/import/map/default-plan";
import { activeFields, addedChoices, type Plan, plannedChoices } from "@/server/custom-fields/import/plan-schema";
import type { ImportRecord } from "@/server/custom-fields/import/record";
import { MAX_CHOICES, MAX_DEFINITIONS_PER_OWNER } from "@/server/custom-fields/schema";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { countInTurn } from "@/server/ground/limits/quota";

/** Changes to definitions by a run, before it wrote values. */
export type Defined = { created: DefinitionRow[]; extended: { before: DefinitionRow; after: DefinitionRow }[] };

/** Creates planned definitions that do not exist, owned by All organizations. */
async function createDefinitions(tx: Tx, found: ImportRecord, plan: Plan): Promise<DefinitionRow[]> {
  await countInTurn(tx, `custom fields of ${found.partnerId}`);
  const known = await partnerDefinitions(tx, found.partnerId);
  const wanted = activeFields(plan).filter(
    (field) => field.action === "create" && !known.some((d) => d.id === field.fieldId),
  );
  if (known.length + wanted.length > MAX_DEFINITIONS_PER_OWNER)
    throw new AppError(
      "conflict",
      `There would be more than ${MAX_DEFINITIONS_PER_OWNER} custom fields: leave some columns out, or delete fields that are not needed.`,
    );
  if (wanted.length === 0) return [];
  const values = wanted.map((field) => ({
    id: field.fieldId,
    partnerId: found.partnerId,
    name: field.name,
    fieldKey: field.fieldKey,
    type: field.type,
    secret: field.secret,
    options: fitToType({ type: field.type, options: plannedChoices(field), defaultValue: null }).options,
  }));
  return tx.insert(customFieldDefinitions).values(values).returning();
}

/** Adds chosen values as choices of an existing dropdown, locked until the run has started. */
async function extendDefinition(
  tx: Tx,
  { id, partnerId, decisions }: Pick<DefinitionRow, "id" | "partnerId"> & Pick<Plan["fields"][number], "decisions">,
): Promise<Defined["extended"]> {
  const d = customFieldDefinitions;
  const own = and(eq(d.id, id), eq(d.partnerId, partnerId));
  const [before] = await tx.select().from(d).where(own).for("update");
  if (!before) return [];
  const { type, options } = before;
  const added = addedChoices({ type, options, decisions });
  if (added.length === 0) return [];
  const extended = [...(options ?? []), ...added];
  if (extended.length > MAX_CHOICES)
    throw new AppError(
      "conflict",
      `${before.name} would have more than ${MAX_CHOICES} choices: map some of the values to choices that it has, or leave them out.`,
    );
  const [after] = await tx.update(d).set({ options: extended, updatedAt: new Date() }).where(own).returning();
  return after ? [{ before, after }] : [];
}

/**
 * Creates a plan's missing fields and adds its choices to existing ones.
 * @throws AppError conflict when there would be too many fields, or choices of one.
 */
export async function defineFields(tx: Tx, found: ImportRecord, plan: Plan): Promise<Defined> {
  const created = await createDefinitions(tx, found, plan);
  const extended: Defined["extended"] = [];
  for (const { action, fieldId, decisions } of activeFields(plan))
    if (action === "existing" && decisions.some((one) => one.action === "add"))
      extended.push(...(await extendDefinition(tx, { id: fieldId, partnerId: found.partnerId, decisions })));
  return { created, extended };
}

export function recordDefined(ctx: Ctx, importId: string, { created, extended }: Defined): void {
  const note = (
    action: "custom_field.create" | "custom_field.update",
    before: DefinitionRow | null,
    row: DefinitionRow,
  ) => {
    const after = toDefinition(row);
    record(ctx, {
      action,
      orgId: ctx.homeOrgId,
      ...resourceOf("custom_field", after),
      details: { ...(before ? auditableChange(toDefinition(before), after) : { after: auditable(after) }), importId },
    });
  };
  for (const row of created) note("custom_field.create", null, row);
  for (const { before, after } of extended) note("custom_field.update", before, after);
}
