import { eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { toImportState } from "./import-state";
import { partnerDefinitions } from "./map/default-plan";
import { withoutSecretTexts } from "./map/secret-columns";
import type { Plan } from "./plan-schema";
import { lockImport } from "./record/find";
import { type ImportRecord, toRecord } from "./record/record";
import { requireIdle, requireRevision } from "./record/require";
import { type ImportState, planInput } from "./schema";

/** Stores a plan; a check of the one before no longer counts. */
export async function storePlan(
  tx: Tx,
  ctx: Ctx,
  { found, plan, summary = found.summary }: { found: ImportRecord; plan: Plan; summary?: ImportRecord["summary"] },
): Promise<ImportState> {
  const definitions = await partnerDefinitions(tx, found.partnerId);
  const { columns } = found;
  const stored = { plan: withoutSecretTexts(plan, { columns, definitions }), summary, status: "staged" };
  const [row] = await tx
    .update(customFieldImports)
    .set({ ...stored, updatedAt: ctx.now() })
    .where(eq(customFieldImports.id, found.id))
    .returning();
  return toImportState(toRecord(row));
}

/**
 * Saves what a person mapped; its faults are found by the check, so half a plan survives a closed tab.
 * @throws AppError not_found; conflict while the import is busy, or when it is not the one that the person has seen.
 */
export const savePlan = operation({
  permission: "custom_fields:import",
  input: planInput,
  output: typed<ImportState>(),
  async run(ctx, { id, plan, revision }) {
    return tenant(ctx.scope, async (tx) => {
      const found = await lockImport(tx, ctx, id);
      requireIdle(found, "staged", "checked");
      requireRevision(
        found,
        revision,
        "Its mapping is shown as it is now; make your last change again if it is not in it.",
      );
      return storePlan(tx, ctx, { found, plan });
    });
  },
});
