import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import type { Ctx } from "@/server/context";
import type { DefinitionRow } from "@/server/custom-fields/definition";
import type { FieldType } from "@/server/custom-fields/schema";
import { AppError, type FieldError } from "@/server/errors";
import { findImport, type ImportRecord, requireIdle, toImportState } from "./find-import";
import { defaultPlan, partnerDefinitions } from "./map/default-plan";
import { presetOf } from "./presets";
import { IDENTIFIERS } from "./presets/preset";
import {
  type ImportState,
  isImportable,
  type Plan,
  type PlanField,
  type SourceColumn,
  sourceType,
  typesDisagree,
} from "./schema";

const active = (plan: Plan): PlanField[] => plan.fields.filter((field) => field.action !== "skip");

/** Everything that keeps a plan from being checked, tied to its fields. */
export function planFaults(plan: Plan, columns: SourceColumn[], definitions: DefinitionRow[]): FieldError[] {
  const errors: FieldError[] = [];
  const say = (path: string, message: string) => void errors.push({ path, message });
  const { identifiers } = plan;
  if (identifiers.sourceId === null && identifiers.hostname === null)
    say("identifiers", "map a column to Source device ID or Hostname");
  const used = new Map<number, string>();
  const use = (column: number, path: string) => {
    if (column >= columns.length) say(path, "names a column that is not there");
    else if (used.has(column)) say(path, `uses the column of ${used.get(column)} again`);
    else used.set(column, path);
  };
  for (const which of IDENTIFIERS) if (identifiers[which] !== null) use(identifiers[which], `identifiers.${which}`);
  const targets = new Set<string>();
  const keys = new Map(definitions.map((d) => [d.fieldKey, d.id]));
  plan.fields.forEach((field, i) => {
    const path = `fields.${i}`;
    if (field.action === "skip") return;
    use(field.column, path);
    const column = columns[field.column];
    if (column && !isImportable(column)) say(path, `is a ${column.declared?.scope} field, which is not imported`);
    if (!field.fieldId || targets.has(field.fieldId)) say(path, "a custom field can be chosen only once");
    else targets.add(field.fieldId);
    const definition = definitions.find((d) => d.id === field.fieldId);
    if (field.action === "existing") {
      if (!definition) say(path, "the custom field is no longer there");
      else if (column && typesDisagree(column, definition.type as FieldType) && !field.typeConflictAccepted)
        say(
          path,
          `its values look like ${sourceType(column)}, the custom field is ${definition.type}: settle that first`,
        );
      return;
    }
    if (field.type === "dropdown" && !field.options?.length) say(path, "a dropdown needs at least one choice");
    const owner = keys.get(field.fieldKey);
    if (owner && owner !== field.fieldId) say(`${path}.fieldKey`, `the key ${field.fieldKey} is taken`);
    keys.set(field.fieldKey, field.fieldId ?? "");
  });
  if (active(plan).length === 0) say("fields", "choose at least one field");
  return errors;
}

/** What still keeps the plan from being checked, tied to its fields, for the wizard to show beside them. */
export function listFaults(ctx: Ctx, { id }: { id: string }): Promise<FieldError[]> {
  return tenant(ctx.scope, async (tx) => {
    const found = await findImport(tx, ctx, id);
    return found.plan ? planFaults(found.plan, found.columns, await partnerDefinitions(tx, found.partnerId)) : [];
  });
}

/** @throws AppError validation_failed with every fault of the plan. */
export function requireSound(plan: Plan | null, columns: SourceColumn[], definitions: DefinitionRow[]): Plan {
  if (!plan) throw new AppError("conflict", "Map the fields first.");
  const errors = planFaults(plan, columns, definitions);
  const first = errors[0];
  if (first)
    throw new AppError("validation_failed", `${first.path}: ${first.message}`, { errors: errors.slice(0, 50) });
  return plan;
}

/** Lets go of a kept mapping: the import is guessed from its columns, as if they came for the first time. */
export async function guessAfresh(ctx: Ctx, { id }: { id: string }): Promise<ImportState> {
  return tenant(ctx.scope, async (tx) => {
    const found = await findImport(tx, ctx, id, "update");
    requireIdle(found, "staged", "checked");
    const definitions = await partnerDefinitions(tx, found.partnerId);
    const plan = defaultPlan(found.columns, definitions, presetOf(found.source));
    const summary = { ...found.summary, mappingFrom: undefined };
    const [row] = await tx
      .update(customFieldImports)
      .set({ plan, summary, status: "staged", updatedAt: ctx.now() })
      .where(eq(customFieldImports.id, found.id))
      .returning();
    return toImportState(row as unknown as ImportRecord);
  });
}

/** Keeps what a person mapped; faults are told when it is checked, so half a plan survives a closed tab. */
export async function savePlan(ctx: Ctx, input: { id: string; plan: Plan }): Promise<ImportState> {
  return tenant(ctx.scope, async (tx) => {
    const found = await findImport(tx, ctx, input.id, "update");
    requireIdle(found, "staged", "checked");
    const [row] = await tx
      .update(customFieldImports)
      .set({ plan: input.plan, status: "staged", updatedAt: ctx.now() })
      .where(eq(customFieldImports.id, found.id))
      .returning();
    return toImportState(row as unknown as ImportRecord);
  });
}
