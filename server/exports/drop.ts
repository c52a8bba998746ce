import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { auditExports } from "@/db/schema";
import { exportEvents } from "@/server/audit/entries/export";
import { record } from "@/server/audit/record/record";
import { type Ctx, systemCtx } from "@/server/ground/context";
import { dropJob, type JobKind } from "@/server/ground/jobs";
import { creatorNow, EXPORT_JOB, type ExportRow, filterOf, type RecordedWith, recordedWith } from "./export-job";
import { listFiles, removeFiles } from "./files";

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

/** Reason to delete an export; null to keep it. */
async function endOf(row: ExportRow): Promise<string | null> {
  if (row.expiresAt <= new Date()) return "Its day was over before it was complete";
  return (await creatorNow(row)) ? null : "The person who asked for it no longer has access to what it would hold";
}

/** Deletes expired exports, those of callers who lost access, and orphaned files. */
export async function sweepExports(): Promise<void> {
  const rows = await asSystem((tx) => tx.select().from(auditExports));
  for (const row of rows) {
    const why = await endOf(row);
    if (why) await dropExport(row, { ctx: systemCtx(), why });
  }
  // Lists files first, so that the export of a new file is already known.
  const files = await listFiles();
  const known = new Set(
    (await asSystem((tx) => tx.select({ id: auditExports.id }).from(auditExports))).map((r) => r.id),
  );
  for (const { id } of files) if (!known.has(id)) await removeFiles(id);
}

export const exportExpiry: JobKind<object> = {
  name: "export-expiry",
  cron: "* * * * *",
  atOnce: 1,
  maxAttempts: 1,
  run: sweepExports,
};
