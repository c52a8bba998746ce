import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { toImportState } from "./import-state";
import { lockImport } from "./record/find";
import { toRecord } from "./record/record";
import { requireWork } from "./record/require";
import { cancelInput, type ImportState } from "./schema";

/**
 * Asks the import's background work to stop: after the current rows a run is cancelled, with what it wrote kept (it can
 * be undone), and an undo ends, with what it restored kept (it can be started again); any other work is dropped.
 * Where the work has ended, nothing happens.
 * @throws AppError not_found; conflict when the import does other work by now than the caller saw.
 */
export const cancelImport = operation({
  permission: "custom_fields:import",
  input: cancelInput,
  output: typed<ImportState>(),
  async run(ctx, { id, jobStartedAt }) {
    const row = await tenant(ctx.scope, async (tx) => {
      const found = await lockImport(tx, ctx, id);
      if (!found.job) return found;
      requireWork(found, jobStartedAt);
      const [changed] = await tx
        .update(customFieldImports)
        .set({ cancelRequested: true })
        .where(eq(customFieldImports.id, id))
        .returning();
      return toRecord(changed);
    });
    if (row.job === "apply" && row.cancelRequested)
      record(ctx, {
        action: "custom_fields.import.cancel",
        orgId: ctx.homeOrgId,
        resourceType: "custom_field_import",
        resourceId: row.id,
        details: { source: row.source, rowsDone: row.jobDone, rows: row.totalRows },
      });
    return toImportState(row);
  },
});
