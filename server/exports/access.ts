import { type Ctx, systemCtx } from "@/server/ground/context";
import { narrow, reaches } from "@/server/ground/scope";
import { findKeyCaller, findUserCaller } from "@/server/identity/auth/caller";
import type { ExportRow } from "./export-job";

/**
 * Current context of an export's requester, limited to its organizations; null if gone, disabled or revoked, no longer
 * allowed to export, or without access to one of them.
 */
export async function creatorNow(row: ExportRow): Promise<Ctx | null> {
  const caller = await (row.createdByType === "user" ? findUserCaller(row.createdBy) : findKeyCaller(row.createdBy));
  if (!caller?.permissions.has("audit:export") || caller.mustEnroll) return null;
  if (!row.orgIds.every((orgId) => reaches(caller.scope, orgId))) return null;
  return narrow({ ...systemCtx(), ...caller, ip: row.ipAddress, userAgent: row.userAgent }, row.orgIds);
}
