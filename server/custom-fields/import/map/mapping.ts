import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { customFieldImportMappings } from "@/db/schema";
import type { DefinitionRow } from "@/server/custom-fields/definition";
import { normaliseHeader } from "@/server/custom-fields/import/normalise";
import type { Plan, PlanField, PlanIdentifiers } from "@/server/custom-fields/import/plan-schema";
import { misfitOf, type SourceColumn } from "@/server/custom-fields/import/plan-schema";
import { presetOf } from "@/server/custom-fields/import/presets";
import { IDENTIFIERS, type Identifier } from "@/server/custom-fields/import/presets/preset";
import type { ImportRecord } from "@/server/custom-fields/import/record/record";
import { type DateOrder, RESERVED_KEYS } from "@/server/custom-fields/schema";
import { defaultPlan, definingNothing, intoExisting, partnerDefinitions } from "./default-plan";
import { withoutSecretTexts } from "./secret-columns";

/** A plan by titles instead of column numbers, as it is kept for the next file with the same columns. */
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

/** True where the kept way to read a column fits none of its values: the next file came from elsewhere. */
function fitsNothing(column: SourceColumn | undefined, kept: Pick<PlanField, "type" | "dateOrder">): boolean {
  const misfit = column && misfitOf(column, kept);
  return column !== undefined && column.filled > 0 && misfit?.count === column.filled;
}

/** The order of day and month that this file's own values show, else the kept one. */
const orderOf = (column: SourceColumn | undefined, kept: DateOrder): DateOrder =>
  column?.guess?.type === "date" && !column.guess.dateOrderUnsure ? column.guess.dateOrder : kept;

/** A kept mapping over a default plan. A definition is found again by its key; where it has gone, the default stands. */
function fromMapping(
  mapping: Mapping,
  { base, columns, definitions }: { base: Plan; columns: SourceColumn[]; definitions: DefinitionRow[] },
): Plan {
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
    const isOutdated = before.action === "existing" || RESERVED_KEYS.has(before.fieldKey);
    if (isOutdated || fitsNothing(column, rest)) return { ...field, secret };
    return { ...field, ...rest, secret };
  });
  const identifiers: PlanIdentifiers = { sourceId: null, hostname: null, organization: null, serial: null };
  for (const which of IDENTIFIERS) identifiers[which] = indexes.get(mapping.identifiers[which] ?? "") ?? null;
  return { identifiers, fields };
}

/** A plan to start from; mappingFrom says when the kept mapping was used last, if there is one. */
export type InitialPlan = { plan: Plan; mappingFrom: string | undefined };

/** The plan that a freshly read import starts from: the kept one for such columns, else the default. */
export async function initialPlan(
  tx: Tx,
  found: ImportRecord,
  { columns, fingerprint, mayDefine }: { columns: SourceColumn[]; fingerprint: string; mayDefine: boolean },
): Promise<InitialPlan> {
  const definitions = await partnerDefinitions(tx, found.partnerId);
  const within = (plan: Plan) => withoutSecretTexts(mayDefine ? plan : definingNothing(plan), { columns, definitions });
  const base = defaultPlan(columns, definitions, presetOf(found.source));
  const m = customFieldImportMappings;
  const [kept] = await tx
    .select()
    .from(m)
    .where(and(eq(m.partnerId, found.partnerId), eq(m.source, found.source), eq(m.fingerprint, fingerprint)));
  if (!kept) return { plan: within(base), mappingFrom: undefined };
  const plan = fromMapping(kept.mapping as Mapping, { base, columns, definitions });
  return { plan: within(plan), mappingFrom: kept.updatedAt.toISOString() };
}

/** Keeps the mapping of an import that is being run, for the next file with the same columns. */
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
