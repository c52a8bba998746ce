import { and, eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { auditRetentionPolicies, organizations } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { invalid, notFound } from "@/server/ground/errors";
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

type Row = typeof auditRetentionPolicies.$inferSelect;

/** The policy of an organization, or undefined. */
async function readPolicy(tx: Tx, orgId: string): Promise<Row | undefined> {
  const [row] = await tx.select().from(auditRetentionPolicies).where(eq(auditRetentionPolicies.orgId, orgId));
  return row;
}

/**
 * Policy in wire format: without a row nothing is configured and nothing is ever pruned (spec, States, rule 1).
 * archiveToS3: whether retention waits for an archive, set up as a data stream.
 */
export async function showPolicy(tx: Tx, orgId: string): Promise<Policy> {
  return toPolicy(orgId, await readPolicy(tx, orgId), await isArchived(tx, orgId));
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

const toPolicy = (orgId: string, row: Row | undefined, archiveToS3: boolean): Policy => ({
  orgId,
  configured: row !== undefined,
  retentionDays: row?.retentionDays ?? null,
  archiveToS3,
  lastCleanupAt: row?.lastCleanupAt?.toISOString() ?? null,
  createdAt: row?.createdAt.toISOString() ?? null,
  updatedAt: row?.updatedAt.toISOString() ?? null,
});
