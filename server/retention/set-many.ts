import { inArray, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { type Tx, tenant } from "@/db/client";
import { auditRetentionPolicies, organizations } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { manyChanged, manyInput } from "./schema";

type Change = { id: string; name: string; before: number | null };

/** The organizations whose days differ, locked until the transaction ends. */
async function changesOf(tx: Tx, ids: string[], retentionDays: number): Promise<Change[]> {
  const { orgId, retentionDays: days } = auditRetentionPolicies;
  const named = await tx
    .select({ id: organizations.id, name: organizations.name })
    .from(organizations)
    .where(inArray(organizations.id, ids));
  const before = new Map<string, number>();
  for (const some of layout().lockable(ids))
    for (const kept of await tx
      .select({ orgId, days })
      .from(auditRetentionPolicies)
      .where(inArray(orgId, some))
      .orderBy(orgId)
      .for("update"))
      before.set(kept.orgId, kept.days);
  return named
    .map(({ id, name }) => ({ id, name, before: before.get(id) ?? null }))
    .filter((change) => change.before !== retentionDays);
}

/** Each change is an entry in its organization's log, as if it had been made there. */
function recordChange(ctx: Ctx, { id, name, before }: Change, retentionDays: number): void {
  record(ctx, {
    action: "organization.audit_retention.update",
    orgId: id,
    ...resourceOf("organization", { id, name }),
    details: {
      before: { configured: before !== null, retentionDays: before },
      after: { configured: true, retentionDays },
    },
  });
}

/**
 * Saves how many days the entries of several organizations are kept, of all or of none; those that keep so many already
 * are left alone.
 * @throws AppError forbidden for an organization outside the caller's reach
 */
export const setPolicies = operation({
  permission: "audit:manage",
  input: manyInput,
  output: manyChanged,
  stepUp: () => true,
  async run(ctx, { orgId, retentionDays }) {
    const ids = [...new Set(orgId)];
    const now = ctx.now();
    const changes = await tenant(ctx.scope, async (tx) => {
      const found = await changesOf(tx, ids, retentionDays);
      const values = found.map(({ id }) => ({ orgId: id, retentionDays, createdAt: now, updatedAt: now }));
      if (values.length > 0)
        await tx
          .insert(auditRetentionPolicies)
          .values(values)
          .onConflictDoUpdate({
            target: auditRetentionPolicies.orgId,
            set: { retentionDays: sql`excluded.retention_days`, updatedAt: sql`excluded.updated_at` },
          });
      return found;
    });
    for (const change of changes) recordChange(ctx, change, retentionDays);
    return { organizations: ids.length, changed: changes.length };
  },
});
