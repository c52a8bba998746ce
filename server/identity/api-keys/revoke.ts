import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { callersChanged } from "@/server/ground/background/streams";
import { operation } from "@/server/ground/operation";
import { onlyIdInput } from "@/server/ground/wire";
import { aboutKey, lockKey } from "./to-api-key";

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
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockKey(tx, ctx, id);
      if (!found.revokedAt) await tx.update(apiKeys).set({ revokedAt }).where(eq(apiKeys.id, id));
      return { row: found, about: await aboutKey(tx, found) };
    });
    if (row.revokedAt) return;
    callersChanged();
    record(ctx, {
      ...about,
      action: "api_key.revoke",
      details: { before: { revokedAt: null }, after: { revokedAt: revokedAt.toISOString() }, prefix: row.prefix },
    });
  },
});
