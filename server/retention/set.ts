import { tenant } from "@/db/client";
import { auditRetentionPolicies } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { operation } from "@/server/ground/operation";
import { readPolicy, requireOrganization, toPolicy } from "./organization";
import { policy, setInput } from "./schema";

/**
 * Saves how many days an organization's audit rows are kept; from then on the daily run prunes it.
 * @throws AppError not_found
 */
export const setPolicy = operation({
  permission: "audit:manage",
  input: setInput,
  output: policy,
  stepUp: () => true,
  async run(ctx, { id, retentionDays }) {
    const now = ctx.now();
    const { organization, before, after } = await tenant(ctx.scope, async (tx) => {
      const found = await requireOrganization(tx, ctx, id);
      const old = await readPolicy(tx, id, true);
      const [row] = await tx
        .insert(auditRetentionPolicies)
        .values({ orgId: id, retentionDays, createdAt: now, updatedAt: now })
        .onConflictDoUpdate({ target: auditRetentionPolicies.orgId, set: { retentionDays, updatedAt: now } })
        .returning();
      return { organization: found, before: old, after: row };
    });
    record(ctx, {
      action: "organization.audit_retention.update",
      orgId: id,
      ...resourceOf("organization", { id, name: organization.name }),
      details: {
        before: { configured: before !== undefined, retentionDays: before?.retentionDays ?? null },
        after: { configured: true, retentionDays },
      },
    });
    return toPolicy(id, after);
  },
});
