import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { auditExports } from "@/db/schema";
import { exportEvents } from "@/server/audit/entries/export";
import { record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/ground/context";
import { dropJob } from "@/server/ground/jobs";
import { EXPORT_JOB, type ExportRow, filterOf } from "./export-job";
import { removeFiles } from "./files";
import { type RecordedWith, recordedWith } from "./recorded-with";

/**
 * Deletes an export with its file. The writer of an unfinished one notices and stops; the incomplete export is
 * recorded.
 */
export async function dropExport(row: ExportRow, { ctx, why }: { ctx: Ctx; why: string }): Promise<void> {
  const logs = await recordedWith(row);
  const [gone] = await asSystem(async (tx) => {
    await dropJob(tx, { name: EXPORT_JOB }, row.id);
    return tx.delete(auditExports).where(eq(auditExports.id, row.id)).returning();
  });
  await removeFiles(row.id);
  if (gone && (gone.status === "waiting" || gone.status === "running")) recordEnd(ctx, gone, { why, logs });
}

/**
 * Records that an export ended without a file. @param logs looked up before its deletion, while the information exists
 */
export function recordEnd(ctx: Ctx, row: ExportRow, { why, logs }: { why: string; logs: RecordedWith }): void {
  const rowsPerOrg = new Map(logs.orgIds.map((orgId) => [orgId, 0]));
  const more = { exportId: row.id, ...(logs.hasFilters ? {} : { filters: null }) };
  for (const event of exportEvents({ format: row.format, filter: filterOf(row), rowsPerOrg, failure: why, more }))
    record(ctx, event);
}
