import { type Tx, tenant } from "@/db/client";
import { reachesWholePartner } from "@/server/auth/grant";
import type { Ctx } from "@/server/context";
import { AppError } from "@/server/errors";
import { operation } from "@/server/operation";
import { idInput, typed } from "@/server/wire";
import { type ImportRecord, lockImport, partnerScope, requireIdle } from "./find-import";
import { toImportState } from "./import-state";
import { adoptFields } from "./map/adopt";
import { partnerDefinitions } from "./map/default-plan";
import { requireSound } from "./map/plan-faults";
import { unknownChoices } from "./map/unknown-choices";
import { queueWork } from "./queue-work";
import { notifyImports } from "./run/worker";
import type { ImportState, ImportStatus, Job, Plan } from "./schema";

/** @throws AppError validation_failed with the plan's faults, values that nobody has decided about among them. */
async function requireCheckable(
  tx: Tx,
  ctx: Ctx,
  { id, plan: stored, columns, partnerId, createdAt }: ImportRecord,
): Promise<Plan> {
  const definitions = await partnerDefinitions(tx, partnerId);
  const plan = stored && adoptFields(stored, { definitions, since: createdAt, mayAdopt: () => true }).plan;
  const unknown = plan ? await unknownChoices(tx, { importId: id, plan, definitions, columns }) : [];
  const mayDefine = await reachesWholePartner(tx, ctx);
  return requireSound(plan, { columns, definitions, mayDefine, unknown });
}

type Start = { id: string; job: Job; from: ImportStatus[] };

async function start(ctx: Ctx, { id, job, from }: Start): Promise<ImportState> {
  const scope = partnerScope(ctx);
  const row = await tenant(scope, async (tx) => {
    const found = await lockImport(tx, ctx, id);
    requireIdle(found, ...from);
    if (job === "stage" && (found.files.length === 0 || found.files.some((file) => !file.complete)))
      throw new AppError("conflict", "Upload a file first.");
    if (job !== "check") return queueWork(tx, ctx, { found, job });
    const plan = await requireCheckable(tx, ctx, found);
    return queueWork(tx, ctx, { found, job, also: { orgIds: [...scope.orgIds], plan } });
  });
  notifyImports();
  return toImportState(row);
}

/** Reads the files into the import. @throws AppError not_found, conflict. */
export const startStaging = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  run: (ctx, { id }) => start(ctx, { id, job: "stage", from: ["draft", "staged", "checked"] }),
});

/** Starts the dry run. @throws AppError not_found, conflict; validation_failed with the plan's faults. */
export const startCheck = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  run: (ctx, { id }) => start(ctx, { id, job: "check", from: ["staged", "checked"] }),
});

/**
 * Undoes what a finished or cancelled run wrote, where nothing changed since: as many values change as in the run, so it
 * asks for as recent a proof.
 * @throws AppError not_found, conflict, step_up_required
 */
export const startUndo = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  stepUp: () => true,
  run: (ctx, { id }) => start(ctx, { id, job: "undo", from: ["done", "cancelled"] }),
});
