import { isDeepStrictEqual } from "node:util";
import { eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { isDuplicate } from "@/db/duplicate";
import { customFieldImports } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { DefinitionRow } from "@/server/custom-fields/definition";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { enqueue } from "@/server/ground/jobs";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { reachesWholePartner } from "@/server/identity/auth/grant";
import { toImportState } from "./imports";
import { partnerDefinitions } from "./map/default-plan";
import { adoptFields, keepMapping, withoutSecretTexts } from "./map/mapping";
import { requireSound, unknownChoices } from "./map/plan-faults";
import { activeFields, type Plan } from "./plan-schema";
import {
  fileNames,
  type ImportRecord,
  lockImport,
  partnerScope,
  personOf,
  requireIdle,
  requireRevision,
  toRecord,
} from "./record";
import { defineFields, recordDefined } from "./run/define-fields";
import { importWork } from "./run/run-job";
import { type ImportState, type ImportStatus, type ImportSummary, type Job, runInput } from "./schema";

type Work = { found: ImportRecord; job: Job; also?: Partial<typeof customFieldImports.$inferInsert> };

/** Queues the next piece of an import's work on behalf of the caller. */
export async function queueWork(tx: Tx, ctx: Ctx, { found, job, also }: Work): Promise<ImportRecord> {
  const actor = personOf(ctx);
  const [row] = await tx
    .update(customFieldImports)
    .set({
      job,
      jobDone: 0,
      jobStartedAt: ctx.now(),
      cancelRequested: false,
      error: null,
      summary: { ...found.summary, actor },
      updatedAt: ctx.now(),
      ...also,
    })
    .where(eq(customFieldImports.id, found.id))
    .returning();
  await enqueue(tx, importWork, { data: { id: found.id }, key: found.id });
  return toRecord(row);
}

/** @throws AppError validation_failed with the plan's faults, including undecided values. */
async function requireCheckable(
  tx: Tx,
  ctx: Ctx,
  { id, plan: stored, columns, partnerId, createdAt }: ImportRecord,
): Promise<Plan> {
  const definitions = await partnerDefinitions(tx, partnerId);
  const adopted = stored && adoptFields(stored, { definitions, since: createdAt, mayAdopt: () => true }).plan;
  const plan = adopted && withoutSecretTexts(adopted, { columns, definitions });
  const unknown = plan ? await unknownChoices(tx, { importId: id, plan, definitions, columns }) : [];
  const mayDefine = await reachesWholePartner(tx, ctx);
  return requireSound(plan, { columns, definitions, mayDefine, unknown });
}

type Start = { id: string; job: Job; from: ImportStatus[] };

/** Queues work on an import. @throws AppError not_found, conflict; validation_failed before a check */
async function start(ctx: Ctx, { id, job, from }: Start): Promise<ImportState> {
  const scope = partnerScope(ctx);
  const row = await tenant(scope, async (tx) => {
    const found = await lockImport(tx, ctx, id);
    requireIdle(found, ...from);
    if (job === "stage" && (found.files.length === 0 || found.files.some((file) => !file.complete)))
      throw new AppError("conflict", "Upload a file first.");
    if (job !== "check") return queueWork(tx, ctx, { found, job });
    const plan = await requireCheckable(tx, ctx, found);
    // A check of another plan is invalid, even if this one is cancelled.
    const status = isDeepStrictEqual(plan, found.plan) ? found.status : "staged";
    return queueWork(tx, ctx, { found, job, also: { status, orgIds: [...scope.orgIds], plan } });
  });
  return toImportState(row);
}

/** Starts the dry run. @throws AppError not_found, conflict; validation_failed with the plan's faults. */
export const startCheck = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  run: (ctx, { id }) => start(ctx, { id, job: "check", from: ["staged", "checked"] }),
});

/** Reads the files into the import. @throws AppError not_found, conflict. */
export const startStaging = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  run: (ctx, { id }) => start(ctx, { id, job: "stage", from: ["draft", "staged", "checked"] }),
});

/**
 * Undoes a finished or cancelled run where nothing changed since. As many values change as in the run, so it needs an
 * equally recent identity check.
 * @throws AppError not_found, conflict, step_up_required
 */
export const startUndo = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  stepUp: () => true,
  run: (ctx, { id }) => start(ctx, { id, job: "undo", from: ["done", "cancelled"] }),
});

/** The plan with equal fields created since, and the check's counts under their ids. */
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
 * Starts the run of a checked import: creates fields, saves the mapping, and writes values in the background.
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
    // After losing a race for a new field, the retry finds it.
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
    return toImportState(row);
  },
});
