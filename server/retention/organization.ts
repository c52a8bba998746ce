import { and, eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { auditRetentionPolicies, organizations } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { notFound } from "@/server/ground/errors";
import { inScope } from "@/server/ground/scope";
import type { Policy } from "./schema";

/** @throws AppError not_found for an organization that is missing or outside the caller's reach */
export async function requireOrganization(tx: Tx, ctx: Ctx, id: string): Promise<{ id: string; name: string }> {
  const [found] = await tx
    .select({ id: organizations.id, name: organizations.name })
    .from(organizations)
    .where(and(inScope(organizations.id, ctx.scope), eq(organizations.id, id)));
  if (!found) throw notFound("organization");
  return found;
}

type Row = typeof auditRetentionPolicies.$inferSelect;

/** The policy of an organization, or undefined; locked where it is about to change. */
export async function readPolicy(tx: Tx, orgId: string, lock = false): Promise<Row | undefined> {
  const query = tx.select().from(auditRetentionPolicies).where(eq(auditRetentionPolicies.orgId, orgId));
  const [row] = await (lock ? query.for("update") : query);
  return row;
}

/** The wire's policy: without a row nothing is configured and nothing is ever pruned (spec, States, rule 1). */
export const toPolicy = (orgId: string, row: Row | undefined): Policy => ({
  orgId,
  configured: row !== undefined,
  retentionDays: row?.retentionDays ?? null,
  archiveToS3: row?.archiveToS3 ?? false,
  lastCleanupAt: row?.lastCleanupAt?.toISOString() ?? null,
  createdAt: row?.createdAt.toISOString() ?? null,
  updatedAt: row?.updatedAt.toISOString() ?? null,
});
