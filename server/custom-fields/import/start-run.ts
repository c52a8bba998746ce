import { type Tx, tenant } from "@/db/client";
import { isDuplicate } from "@/db/duplicate";
import { customFieldDefinitions } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { auditable, type DefinitionRow, fitToType, toDefinition } from "@/server/custom-fields/definition";
import { MAX_DEFINITIONS_PER_OWNER } from "@/server/custom-fields/schema";
import { AppError } from "@/server/errors";
import { operation } from "@/server/operation";
import { idInput, typed } from "@/server/wire";
import { fileNames, type ImportRecord, lockImport, partnerScope, requireIdle, toImportState } from "./find-import";
import { adoptFields } from "./map/adopt";
import { partnerDefinitions } from "./map/default-plan";
import { keepMapping } from "./map/mapping";
import { requireSound } from "./map/plan-faults";
import { queueWork } from "./queue-work";
import { notifyImports } from "./run/worker";
import { activeFields, type ImportState, type ImportSummary, type Plan } from "./schema";

/** Creates the planned definitions that do not exist yet, all owned by All organizations. */
async function createDefinitions(tx: Tx, found: ImportRecord, plan: Plan): Promise<DefinitionRow[]> {
  const known = await partnerDefinitions(tx, found.partnerId);
  const wanted = activeFields(plan).filter(
    (field) => field.action === "create" && !known.some((d) => d.id === field.fieldId),
  );
  if (known.length + wanted.length > MAX_DEFINITIONS_PER_OWNER)
    throw new AppError("conflict", `There would be more than ${MAX_DEFINITIONS_PER_OWNER} custom fields.`);
  if (wanted.length === 0) return [];
  const values = wanted.map(({ fieldId, name, fieldKey, type, options, secret }) => ({
    id: fieldId,
    partnerId: found.partnerId,
    name,
    fieldKey,
    type,
    secret,
    options: fitToType({ type, options, defaultValue: null }).options,
  }));
  return tx.insert(customFieldDefinitions).values(values).returning();
}

/** The plan with fields of the same key and type that were created since, and the check's counts under their ids. */
async function adopted(tx: Tx, found: ImportRecord): Promise<{ plan: Plan; summary: ImportSummary }> {
  const definitions = await partnerDefinitions(tx, found.partnerId);
  const isSame = (definition: DefinitionRow, type: string) => definition.type === type;
  const known = { definitions, since: found.createdAt, mayAdopt: isSame };
  const taken = found.plan && adoptFields(found.plan, known);
  const plan = requireSound(taken?.plan ?? null, { columns: found.columns, definitions });
  const { check } = found.summary;
  if (!check) return { plan, summary: found.summary };
  const fields = check.fields.map((field) => ({ ...field, fieldId: taken?.ids.get(field.fieldId) ?? field.fieldId }));
  return { plan, summary: { ...found.summary, check: { ...check, fields } } };
}

/**
 * Starts the run of a checked import: the planned fields are created, the mapping is saved, the values follow in the
 * background.
 * @throws AppError not_found, validation_failed; conflict when it was not checked or a field's key has been taken meanwhile.
 */
export const startRun = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  stepUp: () => true,
  async run(ctx, { id }) {
    const begin = () =>
      tenant(partnerScope(ctx), async (tx) => {
        const found = await lockImport(tx, ctx, id);
        requireIdle(found, "checked");
        const { plan, summary } = await adopted(tx, found);
        const created = await createDefinitions(tx, found, plan);
        await keepMapping(tx, found, plan);
        const also = { status: "running", startedAt: ctx.now(), plan };
        return { row: await queueWork(tx, ctx, { found: { ...found, summary }, job: "apply", also }), created };
      });
    // Who loses a race for a new field finds it there the second time.
    const { row, created } = await begin().catch((error: unknown) => {
      if (isDuplicate(error)) return begin();
      throw error;
    });
    const about = { orgId: ctx.homeOrgId, resourceType: "custom_field" } as const;
    for (const definition of created.map(toDefinition))
      record(ctx, {
        ...about,
        action: "custom_field.create",
        resourceId: definition.id,
        resourceName: definition.name,
        details: { after: auditable(definition), importId: row.id },
      });
    record(ctx, {
      action: "custom_fields.import.start",
      orgId: ctx.homeOrgId,
      resourceType: "custom_field_import",
      resourceId: row.id,
      resourceName: fileNames(row),
      details: {
        source: row.source,
        rows: row.totalRows,
        fieldsCreated: created.length,
        fields: row.plan && activeFields(row.plan).map((field) => field.fieldKey),
        rowOutcomes: row.summary.check?.rows,
      },
    });
    notifyImports();
    return toImportState(row);
  },
});
