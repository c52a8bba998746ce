import { type Ctx, systemCtx } from "@/server/ground/context";
import { narrow, reaches } from "@/server/ground/scope";
import { findKeyCaller, findUserCaller } from "@/server/identity/auth/caller";
import type { ExportRow } from "./export-job";

/**
 * The requester of an export, as they are now, within the organizations that it is of; null where they are gone, disabled
 * or revoked, may no longer export, or no longer reach one of them.
 */
export async function creatorNow(row: ExportRow): Promise<Ctx | null> {
  const caller = await (row.createdByType === "user" ? findUserCaller(row.createdBy) : findKeyCaller(row.createdBy));
  if (!caller?.permissions.has("audit:export") || caller.mustEnroll) return null;
  if (!row.orgIds.every((orgId) => reaches(caller.scope, orgId))) return null;
  return narrow({ ...systemCtx(), ...caller, ip: row.ipAddress, userAgent: row.userAgent }, row.orgIds);
}
