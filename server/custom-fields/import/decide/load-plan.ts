import { sql } from "drizzle-orm";
import { textArray, uuids } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { customFieldDefinitions } from "@/db/schema";
import type { DefinitionRow } from "@/server/custom-fields/definition";
import { partnerDefinitions } from "@/server/custom-fields/import/map/default-plan";
import { requirePlan, requireSound } from "@/server/custom-fields/import/map/plan-faults";
import { normaliseHeader } from "@/server/custom-fields/import/normalise";
import {
  activeFields,
  decidedTexts,
  isHidden,
  type PlanIdentifiers,
  plannedChoices,
} from "@/server/custom-fields/import/plan-schema";
import { presetOf } from "@/server/custom-fields/import/presets";
import type { ImportRecord, PartnerScope } from "@/server/custom-fields/import/record";
import { appliesTo } from "@/server/custom-fields/values";
import { groupBy } from "@/server/ground/records";
import { rowsAtOnce } from "./batch-size";
import type { ActiveField } from "./decide-value";
import type { DeviceFacts } from "./resolve-row";

/** Data shared by all rows of an import, loaded once per check, run or page. */
export type LoadedPlan = {
  importId: string;
  partnerId: string;
  source: string;
  /** Names under which agents may have recorded the product's ids. */
  sourceNames: readonly string[];
  orgIds: readonly string[];
  identifiers: PlanIdentifiers;
  totalRows: number;
  /** Rows per round of work. */
  rowsAtOnce: number;
  fields: ActiveField[];
  orgsByName: ReadonlyMap<string, ReadonlySet<string>>;
  /** Lowercase identifiers shared by many hostnames in the file, found when rows are first decided. */
  shared?: ReadonlySet<string>;
};

async function organizationsByName(tx: Tx, scope: PartnerScope): Promise<Map<string, Set<string>>> {
  const rows = await rowsOf<{ id: string; name: string }>(
    tx,
    sql`SELECT id, name FROM organizations WHERE id = ANY(${uuids(scope.orgIds)})`,
  );
  const byName = new Map<string, Set<string>>();
  for (const { id, name } of rows) {
    const key = normaliseHeader(name);
    byName.set(key, (byName.get(key) ?? new Set()).add(id));
  }
  return byName;
}

/** Organizations' own fields that replace a planned one on their devices, by key and organization. */
async function hidingFields(
  tx: Tx,
  { orgIds }: PartnerScope,
  fieldKeys: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, DefinitionRow>>> {
  const d = customFieldDefinitions;
  const rows = await tx
    .select()
    .from(d)
    .where(sql`${d.orgId} = ANY(${uuids(orgIds)}) AND ${d.fieldKey} = ANY(${textArray(fieldKeys)})`);
  const byKey = groupBy(rows, ({ fieldKey }) => fieldKey);
  return new Map(Array.from(byKey, ([key, own]) => [key, new Map(own.map((one) => [one.orgId ?? "", one]))]));
}

const NOT_APPLICABLE = "does not apply to this kind of device";

/**
 * Prepares the plan. Existing fields follow their current definition; fields not yet created, or deleted since the run,
 * follow the plan.
 * @throws AppError before the run: validation_failed for a plan with faults, conflict for none.
 */
export async function loadPlan(tx: Tx, found: ImportRecord, scope: PartnerScope): Promise<LoadedPlan> {
  const definitions = await partnerDefinitions(tx, found.partnerId);
  const plan = requirePlan(found);
  // A finished run is shown as it was, whatever happened to its fields since. Permission to define fields was checked
  // at its start.
  if (!found.startedAt) requireSound(plan, { columns: found.columns, definitions, mayDefine: true });
  const preset = presetOf(found.source);
  const active = activeFields(plan);
  const hiding = await hidingFields(
    tx,
    scope,
    active.map(({ fieldKey }) => fieldKey),
  );
  const fields = active.map((field): ActiveField => {
    const existing = definitions.find((definition) => definition.id === field.fieldId);
    const { name, type, secret } = existing ?? field;
    const own = hiding.get(field.fieldKey);
    const hides = ({ orgId, os }: DeviceFacts) => {
      const other = own?.get(orgId);
      return other !== undefined && appliesTo(other, os);
    };
    const planned = { type, options: (existing ?? field).options, decisions: field.decisions };
    const column = found.columns[field.column];
    return {
      column: field.column,
      fieldId: field.fieldId,
      name,
      // After the run has started, its added choices are in the definition.
      rule: { type, options: existing && found.startedAt ? existing.options : plannedChoices(planned) },
      required: existing?.required ?? false,
      secret: column ? isHidden(column, { secret }) : secret,
      dateOrder: field.dateOrder,
      decimalComma: column?.decimalComma ?? false,
      overwrite: field.overwrite,
      clearBlank: field.clearBlank,
      applies: (device) => (!existing || appliesTo(existing, device.os)) && !hides(device),
      notApplicable: own
        ? `${NOT_APPLICABLE}, or its organization has its own field ${field.fieldKey}`
        : NOT_APPLICABLE,
      decided: decidedTexts(planned),
      cache: new Map(),
    };
  });
  return {
    importId: found.id,
    partnerId: found.partnerId,
    source: preset.id,
    sourceNames: preset.sourceNames,
    orgIds: scope.orgIds,
    identifiers: plan.identifiers,
    totalRows: found.totalRows,
    rowsAtOnce: rowsAtOnce(found),
    fields,
    orgsByName: await organizationsByName(tx, scope),
  };
}
