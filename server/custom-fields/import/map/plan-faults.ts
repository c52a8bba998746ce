import type { DefinitionRow } from "@/server/custom-fields/definition";
import { IDENTIFIERS } from "@/server/custom-fields/import/presets/preset";
import {
  isImportable,
  type Plan,
  type SourceColumn,
  sourceType,
  typesDisagree,
} from "@/server/custom-fields/import/schema";
import { AppError, type FieldError } from "@/server/errors";

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
      else if (column && typesDisagree(column, definition.type) && !field.typeConflictAccepted)
        say(
          path,
          `its values look like ${sourceType(column)}, the custom field is ${definition.type}: choose how to handle this`,
        );
      return;
    }
    if (field.type === "dropdown" && !field.options?.length) say(path, "a dropdown needs at least one choice");
    const owner = keys.get(field.fieldKey);
    if (owner && owner !== field.fieldId) say(`${path}.fieldKey`, `the key ${field.fieldKey} is taken`);
    keys.set(field.fieldKey, field.fieldId ?? "");
  });
  if (plan.fields.every((field) => field.action === "skip")) say("fields", "choose at least one field");
  return errors;
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
