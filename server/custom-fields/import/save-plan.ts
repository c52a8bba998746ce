import { eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import type { Ctx } from "@/server/context";
import { type ImportRecord, lockImport, requireIdle, toImportState, toRecord } from "./find-import";
import type { ImportState, Plan } from "./schema";

/** Stores a plan; a check of the one before no longer counts. */
export async function storePlan(
  tx: Tx,
  ctx: Ctx,
  { found, plan, summary = found.summary }: { found: ImportRecord; plan: Plan; summary?: ImportRecord["summary"] },
): Promise<ImportState> {
  const [row] = await tx
    .update(customFieldImports)
    .set({ plan, summary, status: "staged", updatedAt: ctx.now() })
    .where(eq(customFieldImports.id, found.id))
    .returning();
  return toImportState(toRecord(row));
}

/** Saves what a person mapped; its faults are found by the check, so half a plan survives a closed tab. */
export async function savePlan(ctx: Ctx, { id, plan }: { id: string; plan: Plan }): Promise<ImportState> {
  return tenant(ctx.scope, async (tx) => {
    const found = await lockImport(tx, ctx, id);
    requireIdle(found, "staged", "checked");
    return storePlan(tx, ctx, { found, plan });
  });
}
