import { asSystem } from "@/db/client";
import { auditExports } from "@/db/schema";
import { systemCtx } from "@/server/ground/context";
import type { JobKind } from "@/server/ground/jobs";
import { creatorNow } from "./access";
import { dropExport } from "./drop";
import type { ExportRow } from "./export-job";
import { listFiles, removeFiles } from "./files";

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
