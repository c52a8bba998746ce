import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import type { ImportRecord, PartnerScope } from "@/server/custom-fields/import/find-import";
import { uuidList } from "@/server/custom-fields/import/find-import";
import { partnerDefinitions } from "@/server/custom-fields/import/map/default-plan";
import { normaliseHeader } from "@/server/custom-fields/import/normalise";
import { requireSound } from "@/server/custom-fields/import/plan";
import { presetOf } from "@/server/custom-fields/import/presets";
import type { FieldCounts, Plan, RowCounts, Tally } from "@/server/custom-fields/import/schema";
import { ROW_OUTCOMES, VALUE_OUTCOMES } from "@/server/custom-fields/import/schema";
import type { FieldType } from "@/server/custom-fields/schema";
import { appliesTo } from "@/server/custom-fields/values";
import type { ActiveField } from "./decide-value";

/** Everything that stays the same for all rows of an import: made once for a check, a run or a page of its table. */
export type Compiled = {
  importId: string;
  partnerId: string;
  source: string;
  /** Every name under which agents may have recorded the product's ids. */
  sourceNames: readonly string[];
  orgIds: readonly string[];
  plan: Plan;
  totalRows: number;
  fields: ActiveField[];
  orgsByName: ReadonlyMap<string, ReadonlySet<string>>;
};

async function organizationsByName(tx: Tx, scope: PartnerScope): Promise<Map<string, Set<string>>> {
  const rows = await tx.execute<{ id: string; name: string }>(
    sql`SELECT id, name FROM organizations WHERE id = ANY(${uuidList(scope.orgIds)})`,
  );
  const byName = new Map<string, Set<string>>();
  for (const { id, name } of rows) {
    const key = normaliseHeader(name);
    byName.set(key, (byName.get(key) ?? new Set()).add(id));
  }
  return byName;
}

/**
 * Prepares the plan for use. A field whose definition exists follows the definition as it is now; one that is still to
 * be made follows the plan.
 * @throws AppError validation_failed for a plan with faults, conflict for none.
 */
export async function compile(tx: Tx, found: ImportRecord, scope: PartnerScope): Promise<Compiled> {
  const definitions = await partnerDefinitions(tx, found.partnerId);
  const plan = requireSound(found.plan, found.columns, definitions);
  const preset = presetOf(found.source);
  const fields = plan.fields
    .filter((field) => field.action !== "skip")
    .map((field): ActiveField => {
      const existing = definitions.find((d) => d.id === field.fieldId);
      return {
        column: field.column,
        fieldId: field.fieldId as string,
        name: existing?.name ?? field.name,
        rule: existing
          ? { type: existing.type as FieldType, options: existing.options }
          : { type: field.type, options: field.options },
        required: existing?.required ?? false,
        secret: existing?.secret ?? field.secret,
        dateOrder: field.dateOrder,
        overwrite: field.overwrite,
        clearBlank: field.clearBlank,
        applies: (os) => !existing || appliesTo(existing, os),
        cache: new Map(),
      };
    });
  return {
    importId: found.id,
    partnerId: found.partnerId,
    source: preset.id,
    sourceNames: preset.sourceNames,
    orgIds: scope.orgIds,
    plan,
    totalRows: found.totalRows,
    fields,
    orgsByName: await organizationsByName(tx, scope),
  };
}

const zeros = <K extends string>(keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;

/** Nothing counted yet. */
export const emptyTally = (fields: readonly { fieldId: string }[]): Tally => ({
  rows: zeros(ROW_OUTCOMES) as RowCounts,
  fields: fields.map(({ fieldId }): FieldCounts => ({ fieldId, ...zeros(VALUE_OUTCOMES) })),
});
