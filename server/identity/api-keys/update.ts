import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { callersChanged } from "@/server/ground/background/streams";
import { invalid } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { requireMayGrant } from "@/server/identity/auth/grant";
import { apiKey, updateInput } from "./schema";
import { aboutKey, lockKey, permissionsOf, type Row, requireNotRevoked, toApiKey } from "./to-api-key";

type Change = Pick<Row, "name" | "permissions" | "expiresAt">;

/** The changed members alone, before and after. */
function differences(before: Change, after: Change) {
  const names = (["name", "permissions", "expiresAt"] as const).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const of = (values: Change) => Object.fromEntries(names.map((name) => [name, values[name]]));
  return names.length === 0 ? null : { before: of(before), after: of(after) };
}

/**
 * Changes a key's name, permissions or expiry, from its next request on. What it may do afterwards has to be within what
 * the caller may give.
 * @throws AppError not_found, forbidden, conflict for a revoked key, validation_failed for an expiry in the past.
 */
export const updateApiKey = operation({
  permission: "api_keys:manage",
  stepUp: ({ permissions, expiresAt }) => permissions !== undefined || expiresAt !== undefined,
  input: updateInput,
  output: apiKey,
  async run(ctx, { id, name, permissions, expiresAt }) {
    if (expiresAt && expiresAt <= ctx.now()) throw invalid("expiresAt", "is in the past");
    const { before, after, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockKey(tx, ctx, id);
      requireNotRevoked(found);
      const change: Change = {
        name: name ?? found.name,
        permissions: permissions ?? found.permissions,
        expiresAt: expiresAt === undefined ? found.expiresAt : expiresAt,
      };
      const changed = { ...found, ...change };
      requireMayGrant(ctx, permissionsOf(changed));
      await tx.update(apiKeys).set(change).where(eq(apiKeys.id, id));
      return { before: found, after: changed, about: await aboutKey(tx, changed) };
    });
    callersChanged();
    const details = differences(before, after);
    if (details) record(ctx, { ...about, action: "api_key.update", details });
    return toApiKey(after);
  },
});
