import { and, eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { auditRetentionPolicies, organizations } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { invalid, notFound } from "@/server/ground/errors";
import { isoTimes } from "@/server/ground/records";
import { inScope } from "@/server/ground/scope";
import { isArchived } from "./hold";
import type { Policy } from "./schema";

/** @throws AppError not_found for an organization that is missing or outside the caller's reach */
export async function requireOrganization(tx: Tx, ctx: Ctx, id: string): Promise<{ id: string; name: string }> {
  const query = tx
    .select({ id: organizations.id, name: organizations.name })
    .from(organizations)
    .where(and(inScope(organizations.id, ctx.scope), eq(organizations.id, id)));
  // Of two changes with one ETag, the second waits here and finds another.
  const [found] = await (ctx.ifMatch ? query.for("update") : query);
  if (!found) throw notFound("organization");
  return found;
}

/**
 * Policy in wire format: without a row nothing is configured and nothing is ever pruned (spec, States, rule 1).
 * archiveToS3: whether retention waits for an archive, set up as a data stream.
 */
export async function showPolicy(tx: Tx, orgId: string): Promise<Policy> {
  const { retentionDays, lastCleanupAt, createdAt, updatedAt } = auditRetentionPolicies;
  const [row] = await tx
    .select({ retentionDays, lastCleanupAt, createdAt, updatedAt })
    .from(auditRetentionPolicies)
    .where(eq(auditRetentionPolicies.orgId, orgId));
  const none = { retentionDays: null, lastCleanupAt: null, createdAt: null, updatedAt: null };
  return { orgId, configured: row !== undefined, archiveToS3: await isArchived(tx, orgId), ...isoTimes(row ?? none) };
}

/**
 * Compares a request's archiveToS3 with reality: it follows from the data streams.
 * @throws AppError validation_failed where it differs
 */
export async function requireArchiving(tx: Tx, orgId: string, wanted: boolean | undefined): Promise<void> {
  if (wanted === undefined || wanted === (await isArchived(tx, orgId))) return;
  if (wanted) throw invalid("archiveToS3", "needs a data stream of kind s3 with archive: true whose check succeeded");
  throw invalid("archiveToS3", "is true while a data stream archives the entries; delete that stream first");
}
