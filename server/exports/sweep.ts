import { asSystem } from "@/db/client";
import { auditExports } from "@/db/schema";
import { systemCtx } from "@/server/ground/context";
import type { JobKind } from "@/server/ground/jobs";
import { creatorNow } from "./access";
import { dropExport } from "./drop";
import type { ExportRow } from "./export-job";
import { listFiles, removeFiles } from "./files";

/** Why an export is to go; null where it is kept. */
async function endOf(row: ExportRow): Promise<string | null> {
  if (row.expiresAt <= new Date()) return "Its day was over before it was complete";
  return (await creatorNow(row)) ? null : "The person who asked for it no longer has access to what it would hold";
}

/** Deletes exports whose day is over, those of callers who no longer may have them, and files that belong to none. */
export async function sweepExports(): Promise<void> {
  const rows = await asSystem((tx) => tx.select().from(auditExports));
  for (const row of rows) {
    const why = await endOf(row);
    if (why) await dropExport(row, { ctx: systemCtx(), why });
  }
  // The files first: another process may begin one meanwhile, and its export is known before that.
  const files = await listFiles();
  const known = new Set(
    (await asSystem((tx) => tx.select({ id: auditExports.id }).from(auditExports))).map((r) => r.id),
  );
  for (const { id } of files) if (!known.has(id)) await removeFiles(id);
}

/** Deletes exports in time. */
export const exportExpiry: JobKind<object> = {
  name: "export-expiry",
  cron: "* * * * *",
  atOnce: 1,
  maxAttempts: 1,
  run: sweepExports,
};
