import { isDeepStrictEqual } from "node:util";
import { type Tx, tenant } from "@/db/client";
import { isDuplicate } from "@/db/duplicate";
import type { customFieldImports } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { DefinitionRow } from "@/server/custom-fields/definition";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { enqueue } from "@/server/ground/jobs";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { changing, toImportState } from "./imports";
import { loadKnown } from "./map/default-plan";
import { type Adopted, adoptFields, keepMapping, withoutSecretTexts } from "./map/mapping";
import { requirePlan, requireSound, unknownChoices } from "./map/plan-faults";
import { activeFields } from "./plan-schema";
import {
  fileNames,
  type ImportRecord,
  lockImport,
  partnerScope,
  personOf,
  requireIdle,
  requireRevision,
  updateImport,
} from "./record";
import { defineFields, recordDefined } from "./run/define-fields";
import { importWork } from "./run/run-job";
import { type ImportState, type ImportSummary, type Job, runInput } from "./schema";

type Work = { found: ImportRecord; job: Job; also?: Partial<typeof customFieldImports.$inferInsert> };

/** Queues the next piece of an import's work on behalf of the caller. */
export async function queueWork(tx: Tx, ctx: Ctx, { found, job, also }: Work): Promise<ImportRecord> {
  const queued = await updateImport(tx, found.id, {
    job,
    jobDone: 0,
    jobStartedAt: ctx.now(),
    cancelRequested: false,
    error: null,
    summary: { ...found.summary, actor: personOf(ctx) },
    updatedAt: ctx.now(),
    ...also,
  });
  await enqueue(tx, importWork, { data: { id: found.id }, key: found.id });
  return queued;
}

/**
 * The plan, into fields that others have created since; for a run only into equal ones. Before a check it must also say
 * what to do with values that do not fit.
 * @throws AppError conflict without a plan, validation_failed with its faults
 */
async function soundPlan(tx: Tx, ctx: Ctx, { found, job }: Pick<Work, "found" | "job">): Promise<Adopted> {
  const known = await loadKnown(tx, ctx, found);
  const mayAdopt = (definition: DefinitionRow, type: string) => job === "check" || definition.type === type;
  const adopted = adoptFields(requirePlan(found), { ...known, since: found.createdAt, mayAdopt });
  const plan = withoutSecretTexts(adopted.plan, known);
  const unknown = job === "check" ? { unknown: await unknownChoices(tx, { importId: found.id, plan, known }) } : {};
  requireSound(plan, { ...known, ...unknown });
  return { ...adopted, plan };
}

/** Reads the files into the import. @throws AppError not_found, conflict. */
export const startStaging = changing({
  input: idInput,
  from: ["draft", "staged", "checked"],
  async run(tx, ctx, { found }) {
    if (found.files.length === 0 || found.files.some((file) => !file.complete))
      throw new AppError("conflict", "Upload a file first.");
    return queueWork(tx, ctx, { found, job: "stage" });
  },
});

/** Starts the dry run. @throws AppError not_found, conflict; validation_failed with the plan's faults. */
export const startCheck = changing({
  input: idInput,
  from: ["staged", "checked"],
  async run(tx, ctx, { found }) {
    const { plan } = await soundPlan(tx, ctx, { found, job: "check" });
    // A check of another plan is invalid, even if this one is cancelled.
    const status = isDeepStrictEqual(plan, found.plan) ? found.status : "staged";
    return queueWork(tx, ctx, { found, job: "check", also: { status, orgIds: [...partnerScope(ctx).orgIds], plan } });
  },
});

/**
 * Undoes a finished or cancelled run where nothing changed since. As many values change as in the run, so it needs an
 * equally recent identity check.
 * @throws AppError not_found, conflict, step_up_required
 */
export const startUndo = changing({
  input: idInput,
  stepUp: () => true,
  from: ["done", "cancelled"],
  run: (tx, ctx, { found }) => queueWork(tx, ctx, { found, job: "undo" }),
});

/** The summary with the check's counts under the ids of fields adopted since. */
function renamed({ check, ...summary }: ImportSummary, ids: Adopted["ids"]): ImportSummary {
  if (!check) return summary;
  const fields = check.fields.map((field) => ({ ...field, fieldId: ids.get(field.fieldId) ?? field.fieldId }));
  return { ...summary, check: { ...check, fields } };
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
        const { plan, ids } = await soundPlan(tx, ctx, { found, job: "apply" });
        const defined = await defineFields(tx, found, plan);
        await keepMapping(tx, found, plan);
        const checked = { ...found, summary: renamed(found.summary, ids) };
        const also = { status: "running", startedAt: ctx.now(), plan };
        return { row: await queueWork(tx, ctx, { found: checked, job: "apply", also }), defined };
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
