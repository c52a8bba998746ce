import { and, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { enrollmentKeys } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { inScope } from "@/server/ground/scope";
import { onlyIdInput } from "@/server/ground/wire";

/**
 * Revokes an enrollment key for good; agents that enrolled with it stay. One that is revoked already stays so.
 * @throws AppError not_found
 */
export const revokeEnrollmentKey = operation({
  permission: "agents:enroll",
  input: onlyIdInput,
  output: "empty",
  async run(ctx, { id }) {
    const revokedAt = ctx.now();
    const row = await tenant(ctx.scope, async (tx) => {
      const where = and(inScope(enrollmentKeys.orgId, ctx.scope), eq(enrollmentKeys.id, id));
      const [found] = await tx.select().from(enrollmentKeys).where(where).for("update");
      if (!found) throw notFound("enrollment key");
      if (!found.revokedAt) await tx.update(enrollmentKeys).set({ revokedAt }).where(where);
      return found;
    });
    if (row.revokedAt) return;
    record(ctx, {
      action: "enrollment_key.revoke",
      orgId: row.orgId,
      ...resourceOf("enrollment_key", { id: row.id, name: row.prefix }),
      details: { before: { revokedAt: null }, after: { revokedAt: revokedAt.toISOString() }, uses: row.uses },
    });
  },
});
