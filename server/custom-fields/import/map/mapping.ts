import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { customFieldImportMappings } from "@/db/schema/index";
import type { DefinitionRow } from "@/server/custom-fields/definition";
import { normaliseHeader } from "@/server/custom-fields/import/normalise";
import {
  IDENTIFIERS,
  type Identifier,
  isHidden,
  misfitOf,
  type Plan,
  type PlanField,
  type SourceColumn,
} from "@/server/custom-fields/import/plan-schema";
import { presetOf } from "@/server/custom-fields/import/presets";
import type { ImportRecord } from "@/server/custom-fields/import/record";
import type { DateOrder } from "@/server/custom-fields/schema";
import { fromKeys, mapValues } from "@/server/ground/records";
import { defaultPlan, definingNothing, intoExisting, type Known } from "./default-plan";

function withoutValues(column: SourceColumn): SourceColumn {
  const misfits = mapValues(column.misfits, ({ count }) => ({ count, odd: [] }));
  return { ...column, samples: [], misfits, guess: column.guess && { ...column.guess, options: null } };
}

/** A column as shown, without secret values. */
export function shownColumn(column: SourceColumn, plan: Plan | null): SourceColumn {
  const field = plan?.fields.find((one) => one.column === column.index);
  return isHidden(column, field) ? withoutValues(column) : column;
}

/** Secret columns, declared or by title, not chosen for import. */
export function leftOutSecrets({ columns, plan }: Pick<ImportRecord, "columns" | "plan">): number[] {
  const chosen = new Set([
    ...Object.values(plan?.identifiers ?? {}),
    ...(plan?.fields ?? []).flatMap(({ action, column }) => (action === "skip" ? [] : column)),
  ]);
  return columns.filter(({ secret, index }) => secret !== null && !chosen.has(index)).map(({ index }) => index);
}

/**
 * A plan for storage: an existing field is as secret as its current definition, and a secret's values must be neither
 * choices, which everybody may read, nor in decisions.
 */
export function withoutSecretTexts(plan: Plan, { columns, definitions }: Known): Plan {
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

/** Columns without sample values where secret. */
export const withoutSamples = (columns: readonly SourceColumn[], of: readonly number[]): SourceColumn[] =>
  columns.map((column) => (of.includes(column.index) ? withoutValues(column) : column));

/** A plan, and the ids of planned fields replaced by existing ones. */
export type Adopted = { plan: Plan; ids: ReadonlyMap<string, string> };

/**
 * Replaces fields to be created by equal ones that another user has created since, so that concurrent imports share
 * them. `mayAdopt` decides which.
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

/** A plan by titles instead of column numbers, saved for the next file with the same columns. */
type Mapping = {
  identifiers: Partial<Record<Identifier, string>>;
  fields: (Omit<PlanField, "column" | "fieldId"> & { title: string })[];
};

function toMapping(plan: Plan, columns: SourceColumn[]): Mapping {
  const title = (index: number) => normaliseHeader(columns[index]?.title ?? "");
  const identifiers: Mapping["identifiers"] = {};
  for (const which of IDENTIFIERS) {
    const column = plan.identifiers[which];
    if (column !== null) identifiers[which] = title(column);
  }
  const fields = plan.fields.map(({ column, fieldId: _, ...field }) => ({ ...field, title: title(column) }));
  return { identifiers, fields };
}

/** True if the saved way to read a column fits none of its values, so the file came from elsewhere. */
function fitsNothing(column: SourceColumn | undefined, kept: Pick<PlanField, "type" | "dateOrder">): boolean {
  const misfit = column && misfitOf(column, kept);
  return column !== undefined && column.filled > 0 && misfit?.count === column.filled;
}

/** Date order shown by this file's values, else the saved one. */
const orderOf = (column: SourceColumn | undefined, kept: DateOrder): DateOrder =>
  column?.guess?.type === "date" && !column.guess.dateOrderUnsure ? column.guess.dateOrder : kept;

/** Applies a saved mapping to a default plan. Definitions are found by key; without one the default stays. */
function fromMapping(mapping: Mapping, base: Plan, { columns, definitions }: Known): Plan {
  const indexes = new Map(columns.map((c) => [normaliseHeader(c.title), c.index]));
  const kept = new Map(mapping.fields.map((field) => [field.title, field]));
  const fields = base.fields.map((field): PlanField => {
    const column = columns[field.column];
    const before = kept.get(normaliseHeader(column?.title ?? ""));
    if (!before) return field;
    const { title: _, ...rest } = { ...before, dateOrder: orderOf(column, before.dateOrder) };
    const definition = definitions.find((d) => d.fieldKey === before.fieldKey);
    if (before.action === "skip") return { ...field, action: "skip" };
    if (definition) return { ...field, ...rest, ...intoExisting(definition), action: "existing" };
    const secret = rest.secret || field.secret;
    if (before.action === "existing" || fitsNothing(column, rest)) return { ...field, secret };
    return { ...field, ...rest, secret };
  });
  const identifiers = fromKeys(IDENTIFIERS, (which) => indexes.get(mapping.identifiers[which] ?? "") ?? null);
  return { identifiers, fields };
}

/** Initial plan of a freshly read import: the saved one for such columns, else the default. */
export async function initialPlan(
  tx: Tx,
  { partnerId, source }: ImportRecord,
  { known, fingerprint }: { known: Known; fingerprint: string },
): Promise<{ plan: Plan; mappingFrom: string | undefined }> {
  const base = defaultPlan(known, presetOf(source));
  const m = customFieldImportMappings;
  const [kept] = await tx
    .select()
    .from(m)
    .where(and(eq(m.partnerId, partnerId), eq(m.source, source), eq(m.fingerprint, fingerprint)));
  if (!kept) return { plan: withoutSecretTexts(base, known), mappingFrom: undefined };
  const plan = fromMapping(kept.mapping as Mapping, base, known);
  const allowed = known.mayDefine ? plan : definingNothing(plan);
  return { plan: withoutSecretTexts(allowed, known), mappingFrom: kept.updatedAt.toISOString() };
}

/** Saves the mapping of a running import for the next file with the same columns. */
export async function keepMapping(tx: Tx, found: ImportRecord, plan: Plan): Promise<void> {
  if (!found.fingerprint) return;
  const mapping = toMapping(plan, found.columns);
  const { partnerId, source, fingerprint } = found;
  const m = customFieldImportMappings;
  await tx
    .insert(m)
    .values({ partnerId, source, fingerprint, mapping })
    .onConflictDoUpdate({
      target: [m.partnerId, m.source, m.fingerprint],
      set: { mapping, uses: sql`${m.uses} + 1`, updatedAt: sql`now()` },
    });
}
