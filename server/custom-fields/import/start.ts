import { eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { isDuplicate } from "@/db/duplicate";
import { customFieldDefinitions, customFieldImports } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/context";
import { auditable, type DefinitionRow, fitToType, toDefinition } from "@/server/custom-fields/definition";
import { MAX_DEFINITIONS_PER_OWNER } from "@/server/custom-fields/schema";
import { AppError } from "@/server/errors";
import { findImport, type ImportRecord, partnerScope, requireIdle, toImportState } from "./find-import";
import { partnerDefinitions } from "./map/default-plan";
import { keepMapping } from "./map/mapping";
import { requireSound } from "./plan";
import { notifyImports } from "./run/worker";
import type { ImportState, ImportStatus, Job, Plan } from "./schema";

/** The next piece of background work of an import, in the name of whoever asks for it. */
async function setToWork(tx: Tx, ctx: Ctx, found: ImportRecord, job: Job, also: object = {}): Promise<ImportRecord> {
  const actor = ctx.actor.type === "user" ? { id: ctx.actor.id, name: ctx.actor.name } : undefined;
  if (!actor) throw new AppError("forbidden", "Only a person can import custom fields.");
  const [row] = await tx
    .update(customFieldImports)
    .set({
      job,
      jobDone: 0,
      jobStartedAt: ctx.now(),
      leaseOwner: null,
      leaseUntil: null,
      cancelRequested: false,
      error: null,
      summary: { ...found.summary, actor },
      updatedAt: ctx.now(),
      ...also,
    })
    .where(eq(customFieldImports.id, found.id))
    .returning();
  return row as unknown as ImportRecord;
}

async function begin(ctx: Ctx, id: string, job: Job, ...statuses: ImportStatus[]): Promise<ImportState> {
  const scope = partnerScope(ctx);
  const row = await tenant(scope, async (tx) => {
    const found = await findImport(tx, ctx, id, "update");
    requireIdle(found, ...statuses);
    if (job === "stage" && (found.files.length === 0 || found.files.some((file) => !file.complete)))
      throw new AppError("conflict", "Upload a file first.");
    if (job === "check") requireSound(found.plan, found.columns, await partnerDefinitions(tx, found.partnerId));
    return setToWork(tx, ctx, found, job, job === "check" ? { orgIds: [...scope.orgIds] } : {});
  });
  notifyImports();
  return toImportState(row);
}

/** Reads the files into the import. @throws AppError not_found, conflict. */
export const startStaging = (ctx: Ctx, { id }: { id: string }) => begin(ctx, id, "stage", "draft", "staged", "checked");

/** Begins the dry run. @throws AppError not_found, conflict; validation_failed with the plan's faults. */
export const startCheck = (ctx: Ctx, { id }: { id: string }) => begin(ctx, id, "check", "staged", "checked");

/** Makes the planned definitions that are not there yet, all owned by All organizations. */
async function makeDefinitions(tx: Tx, found: ImportRecord, plan: Plan): Promise<DefinitionRow[]> {
  const known = await partnerDefinitions(tx, found.partnerId);
  const wanted = plan.fields.filter((field) => field.action === "create" && !known.some((d) => d.id === field.fieldId));
  if (known.length + wanted.length > MAX_DEFINITIONS_PER_OWNER)
    throw new AppError("conflict", `There would be more than ${MAX_DEFINITIONS_PER_OWNER} custom fields.`);
  if (wanted.length === 0) return [];
  const values = wanted.map(({ fieldId, name, fieldKey, type, options, secret }) => ({
    id: fieldId as string,
    partnerId: found.partnerId,
    name,
    fieldKey,
    type,
    secret,
    options: fitToType({ type, options, defaultValue: null }).options,
  }));
  return tx.insert(customFieldDefinitions).values(values).returning();
}

/**
 * Starts the run of a checked import: the planned fields are made, the mapping is kept, the values follow in the
 * background.
 * @throws AppError not_found, validation_failed; conflict when it was not checked or a field's key is taken meanwhile.
 */
export async function startRun(ctx: Ctx, { id }: { id: string }): Promise<ImportState> {
  const { row, made } = await tenant(partnerScope(ctx), async (tx) => {
    const found = await findImport(tx, ctx, id, "update");
    requireIdle(found, "checked");
    const plan = requireSound(found.plan, found.columns, await partnerDefinitions(tx, found.partnerId));
    const made = await makeDefinitions(tx, found, plan);
    await keepMapping(tx, found, plan);
    return { row: await setToWork(tx, ctx, found, "apply", { status: "running", startedAt: ctx.now() }), made };
  }).catch((error: unknown) => {
    throw isDuplicate(error)
      ? new AppError("conflict", "A field with one of these keys has been made meanwhile; check again.")
      : error;
  });
  const about = { orgId: ctx.homeOrgId, resourceType: "custom_field" } as const;
  for (const definition of made.map(toDefinition))
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
    resourceName: row.files
      .map((file) => file.name)
      .join(", ")
      .slice(0, 255),
    details: {
      source: row.source,
      rows: row.totalRows,
      fieldsCreated: made.length,
      fields: row.plan?.fields.filter((field) => field.action !== "skip").map((field) => field.fieldKey),
      rowOutcomes: row.summary.check?.rows,
    },
  });
  notifyImports();
  return toImportState(row);
}

/** Takes back what a finished or cancelled run wrote, where nothing changed since. @throws AppError not_found, conflict. */
export const startUndo = (ctx: Ctx, { id }: { id: string }) => begin(ctx, id, "undo", "done", "cancelled");
