import type { DefinitionRow } from "@/server/custom-fields/definition";
import type { Misfit, SourceColumn } from "@/server/custom-fields/import/plan-schema";
import { isHidden, type Plan, type PlanField } from "@/server/custom-fields/import/plan-schema";
import type { ImportRecord } from "@/server/custom-fields/import/record/record";

/** A column without its values. */
function withoutValues(column: SourceColumn): SourceColumn {
  const counted = ({ count }: Misfit): Misfit => ({ count, odd: [] });
  const { text, number, boolean, mdy, dmy, ymd } = column.misfits;
  const misfits = {
    text: counted(text),
    number: counted(number),
    boolean: counted(boolean),
    mdy: counted(mdy),
    dmy: counted(dmy),
    ymd: counted(ymd),
  };
  return { ...column, samples: [], misfits, guess: column.guess && { ...column.guess, options: null } };
}

/** A column as it may be shown: without its values where these are secret. */
export function shownColumn(column: SourceColumn, plan: Plan | null): SourceColumn {
  const field = plan?.fields.find((one) => one.column === column.index);
  return isHidden(column, field) ? withoutValues(column) : column;
}

/** The columns that the product says are secret, or whose titles do, and that were not chosen for import. */
export function leftOutSecrets({ columns, plan }: Pick<ImportRecord, "columns" | "plan">): number[] {
  const chosen = new Set([
    ...Object.values(plan?.identifiers ?? {}),
    ...(plan?.fields ?? []).flatMap(({ action, column }) => (action === "skip" ? [] : column)),
  ]);
  return columns.filter(({ secret, index }) => secret !== null && !chosen.has(index)).map(({ index }) => index);
}

/**
 * A plan as it may be stored: a field that exists is as secret as its definition is now, and a secret's values are no
 * choices, which everybody may read, nor decided about one by one.
 */
export function withoutSecretTexts(
  plan: Plan,
  { columns, definitions }: { columns: readonly SourceColumn[]; definitions: readonly DefinitionRow[] },
): Plan {
  const fields = plan.fields.map((field): PlanField => {
    const definition = field.action === "existing" && definitions.find(({ id }) => id === field.fieldId);
    const secret = definition ? definition.secret : field.secret;
    const column = columns[field.column];
    if (!column || !isHidden(column, { secret })) return field;
    const type = field.type === "dropdown" && !definition ? "text" : field.type;
    return { ...field, secret, type, options: null, decisions: [] };
  });
  return { ...plan, fields };
}

/** The columns without what was seen in some of them. */
export const withoutSamples = (columns: readonly SourceColumn[], of: readonly number[]): SourceColumn[] =>
  columns.map((column) => (of.includes(column.index) ? withoutValues(column) : column));
