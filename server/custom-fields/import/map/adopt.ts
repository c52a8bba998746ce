import type { DefinitionRow } from "@/server/custom-fields/definition";
import type { Plan } from "@/server/custom-fields/import/plan-schema";
import { intoExisting } from "./default-plan";

/** A plan, and the ids of planned fields that an existing one has taken the place of. */
export type Adopted = { plan: Plan; ids: ReadonlyMap<string, string> };

/**
 * Fields that the plan would create, and that another user has created since the import began, are taken as they are:
 * two people who bring the same fields over at once share them. `mayAdopt` says which.
 */
export function adoptFields(
  plan: Plan,
  {
    definitions,
    since,
    mayAdopt,
  }: { definitions: DefinitionRow[]; since: Date; mayAdopt: (d: DefinitionRow, type: string) => boolean },
): Adopted {
  const targets = new Set(plan.fields.map(({ fieldId }) => fieldId));
  const ids = new Map<string, string>();
  const fields = plan.fields.map((field) => {
    if (field.action !== "create") return field;
    const other = definitions.find(({ fieldKey, id }) => fieldKey === field.fieldKey && id !== field.fieldId);
    if (!other || other.createdAt <= since || targets.has(other.id) || !mayAdopt(other, field.type)) return field;
    if (field.fieldId) ids.set(field.fieldId, other.id);
    return { ...field, ...intoExisting(other), action: "existing" as const };
  });
  return { plan: { ...plan, fields }, ids };
}
