import { isDeepStrictEqual } from "node:util";
import { type Tx, tenant } from "@/db/client";
import { toImportState } from "@/server/custom-fields/import/imports";
import { partnerDefinitions } from "@/server/custom-fields/import/map/default-plan";
import { adoptFields, withoutSecretTexts } from "@/server/custom-fields/import/map/mapping";
import { requireSound, unknownChoices } from "@/server/custom-fields/import/map/plan-faults";
import type { Plan } from "@/server/custom-fields/import/plan-schema";
import { queueWork } from "@/server/custom-fields/import/queue-work";
import type { ImportRecord } from "@/server/custom-fields/import/record";
import { lockImport, partnerScope, requireIdle } from "@/server/custom-fields/import/record";
import { notifyImports } from "@/server/custom-fields/import/run/worker";
import type { ImportState, ImportStatus, Job } from "@/server/custom-fields/import/schema";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { reachesWholePartner } from "@/server/identity/auth/grant";

/** @throws AppError validation_failed with the plan's faults, undecided values among them. */
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
export async function start(ctx: Ctx, { id, job, from }: Start): Promise<ImportState> {
  const scope = partnerScope(ctx);
  const row = await tenant(scope, async (tx) => {
    const found = await lockImport(tx, ctx, id);
    requireIdle(found, ...from);
    if (job === "stage" && (found.files.length === 0 || found.files.some((file) => !file.complete)))
      throw new AppError("conflict", "Upload a file first.");
    if (job !== "check") return queueWork(tx, ctx, { found, job });
    const plan = await requireCheckable(tx, ctx, found);
    // Of another plan the check before says nothing, also where this one is cancelled.
    const status = isDeepStrictEqual(plan, found.plan) ? found.status : "staged";
    return queueWork(tx, ctx, { found, job, also: { status, orgIds: [...scope.orgIds], plan } });
  });
  notifyImports();
  return toImportState(row);
}
