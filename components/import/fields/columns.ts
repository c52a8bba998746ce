import type { Plan, PlanField } from "@/server/custom-fields/import/plan-schema";
import { isImportable, type SourceColumn } from "@/server/custom-fields/import/plan-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";

/** Columns that may become fields: importable, and not used as an identifier. */
export function fieldColumns(state: ImportState, plan: Plan): { field: PlanField; column: SourceColumn }[] {
  const identifiers = new Set(Object.values(plan.identifiers));
  return plan.fields.flatMap((field) => {
    const column = state.columns[field.column];
    return column && isImportable(column) && !identifiers.has(field.column) ? [{ field, column }] : [];
  });
}
