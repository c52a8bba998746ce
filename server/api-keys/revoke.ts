import { and, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { requireWholePartner } from "@/server/auth/grant";
import { notFound } from "@/server/errors";
import { operation } from "@/server/operation";
import { homeOrgOf } from "@/server/organizations/partner";
import { onlyIdInput } from "@/server/wire";
import { keysInScope } from "./to-api-key";

/**
 * Revokes an API key for good, from its next request on; one that is revoked already stays so.
 * @throws AppError not_found, forbidden for a partner-wide key and a caller who reaches less.
 */
export const revokeApiKey = operation({
  permission: "api_keys:manage",
  input: onlyIdInput,
  output: "empty",
  async run(ctx, { id }) {
    const revokedAt = ctx.now();
    const row = await tenant(ctx.scope, async (tx) => {
      const where = and(keysInScope(ctx), eq(apiKeys.id, id));
      const [found] = await tx.select().from(apiKeys).where(where).for("update");
      if (!found) throw notFound("API key");
      if (!found.orgId) await requireWholePartner(tx, ctx);
      if (!found.revokedAt) await tx.update(apiKeys).set({ revokedAt }).where(eq(apiKeys.id, id));
      return found;
    });
    if (row.revokedAt) return;
    record(ctx, {
      action: "api_key.revoke",
      orgId: row.orgId ?? (await homeOrgOf(row.partnerId)),
      resourceType: "api_key",
      resourceId: row.id,
      resourceName: row.name,
      details: { before: { revokedAt: null }, after: { revokedAt: revokedAt.toISOString() }, prefix: row.prefix },
    });
  },
});
