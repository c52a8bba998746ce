import { type Tx, tenant } from "@/db/client";
import { isDuplicate } from "@/db/duplicate";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { DefinitionRow } from "@/server/custom-fields/definition";
import { toImportState } from "@/server/custom-fields/import/imports";
import { partnerDefinitions } from "@/server/custom-fields/import/map/default-plan";
import { adoptFields, keepMapping, withoutSecretTexts } from "@/server/custom-fields/import/map/mapping";
import { requireSound } from "@/server/custom-fields/import/map/plan-faults";
import { activeFields, type Plan } from "@/server/custom-fields/import/plan-schema";
import { queueWork } from "@/server/custom-fields/import/queue-work";
import {
  fileNames,
  type ImportRecord,
  lockImport,
  partnerScope,
  requireIdle,
  requireRevision,
} from "@/server/custom-fields/import/record";
import { defineFields, recordDefined } from "@/server/custom-fields/import/run/define-fields";
import { notifyImports } from "@/server/custom-fields/import/run/worker";
import { type ImportState, type ImportSummary, runInput } from "@/server/custom-fields/import/schema";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { reachesWholePartner } from "@/server/identity/auth/grant";

/** The plan with fields of the same key and type that were created since, and the check's counts under their ids. */
async function adopted(tx: Tx, ctx: Ctx, found: ImportRecord): Promise<{ plan: Plan; summary: ImportSummary }> {
  const { columns } = found;
  const definitions = await partnerDefinitions(tx, found.partnerId);
  const isSame = (definition: DefinitionRow, type: string) => definition.type === type;
  const known = { definitions, since: found.createdAt, mayAdopt: isSame };
  const taken = found.plan && adoptFields(found.plan, known);
  const mayDefine = await reachesWholePartner(tx, ctx);
  const plan = requireSound(taken && withoutSecretTexts(taken.plan, { columns, definitions }), {
    columns,
    definitions,
    mayDefine,
  });
  const { check } = found.summary;
  if (!check) return { plan, summary: found.summary };
  const fields = check.fields.map((field) => ({ ...field, fieldId: taken?.ids.get(field.fieldId) ?? field.fieldId }));
  return { plan, summary: { ...found.summary, check: { ...check, fields } } };
}

/**
 * Starts the run of a checked import: the planned fields are created, the mapping is saved, the values follow in the
 * background.
 * @throws AppError not_found, validation_failed; conflict when it was not checked, or has been changed since the caller
 * saw it, or a field's key has been taken meanwhile.
 */
export const startRun = operation({
  permission: "custom_fields:import",
  input: runInput,
  output: typed<ImportState>(),
  stepUp: () => true,
  async run(ctx, { id, revision }) {
    const begin = () =>
      tenant(partnerScope(ctx), async (tx) => {
        const found = await lockImport(tx, ctx, id);
        requireIdle(found, "checked");
        requireRevision(found, revision, "Look at its check again before you run it.");
        const { plan, summary } = await adopted(tx, ctx, found);
        const defined = await defineFields(tx, found, plan);
        await keepMapping(tx, found, plan);
        const also = { status: "running", startedAt: ctx.now(), plan };
        return { row: await queueWork(tx, ctx, { found: { ...found, summary }, job: "apply", also }), defined };
      });
    // The loser of a race for a new field finds it there the second time.
    const { row, defined } = await begin().catch((error: unknown) => {
      if (isDuplicate(error)) return begin();
      throw error;
    });
    recordDefined(ctx, row.id, defined);
    record(ctx, {
      action: "custom_fields.import.start",
      orgId: ctx.homeOrgId,
      ...resourceOf("custom_field_import", { id: row.id, name: fileNames(row) }),
      details: {
        source: row.source,
        rows: row.totalRows,
        fieldsCreated: defined.created.length,
        fields: row.plan && activeFields(row.plan).map((field) => field.fieldKey),
        rowOutcomes: row.summary.check?.rows,
      },
    });
    notifyImports();
    return toImportState(row);
  },
});
