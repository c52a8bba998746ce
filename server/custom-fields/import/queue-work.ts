import { eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { type ImportRecord, personOf, toRecord } from "./record";
import type { Job } from "./schema";

type Work = { found: ImportRecord; job: Job; also?: Partial<typeof customFieldImports.$inferInsert> };

/** Leaves the next piece of an import's work to the background, on behalf of the caller. */
export async function queueWork(tx: Tx, ctx: Ctx, { found, job, also }: Work): Promise<ImportRecord> {
  const actor = personOf(ctx);
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
  return toRecord(row);
}
