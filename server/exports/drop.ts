import { and, eq, inArray } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { auditExports, organizations } from "@/db/schema";
import { exportEvents } from "@/server/audit/entries/export-event";
import { record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/context";
import { type ExportRow, filterOf } from "./export-job";
import { removeFiles } from "./files";

/**
 * Deletes an export with its file. One that was under way ends, because its writer finds it gone; that it was not completed is
 * recorded.
 */
export async function dropExport(row: ExportRow, { ctx, why }: { ctx: Ctx; why: string }): Promise<void> {
  const [gone] = await asSystem((tx) => tx.delete(auditExports).where(eq(auditExports.id, row.id)).returning());
  await removeFiles(row.id);
  if (gone && (gone.status === "waiting" || gone.status === "running")) await recordEnd(ctx, gone, why);
}

/**
 * Records that an export ended without a file: with its organization; of several, with the one of those who asked for it.
 * The platform's operator has none: then with the staff of each partner that it was of, without the filters, which may
 * name another's people.
 */
export async function recordEnd(ctx: Ctx, row: ExportRow, why: string): Promise<void> {
  const { id: exportId, format, orgIds } = row;
  const isOperators = orgIds.length > 1 && ctx.homeOrgId === null;
  const targets = isOperators ? await staffOf(orgIds) : orgIds.length === 1 ? orgIds : [];
  const rowsPerOrg = new Map(targets.map((orgId) => [orgId, 0]));
  const more = isOperators ? { exportId, filters: null } : { exportId };
  for (const event of exportEvents({ format, filter: filterOf(row), rowsPerOrg, failure: why, more }))
    record(ctx, event);
}

/** The organizations of the staff of those partners that the organizations belong to. */
async function staffOf(orgIds: readonly string[]): Promise<string[]> {
  const { id, partnerId, isHome } = organizations;
  const rows = await asSystem((tx) => {
    const partners = tx
      .select({ partnerId })
      .from(organizations)
      .where(inArray(id, [...orgIds]));
    return tx
      .select({ id })
      .from(organizations)
      .where(and(isHome, inArray(partnerId, partners)));
  });
  return rows.map((row) => row.id);
}
