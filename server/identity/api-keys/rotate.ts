import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { callersChanged } from "@/server/ground/background/streams";
import { operation } from "@/server/ground/operation";
import { newSecret } from "@/server/ground/secrets";
import { requireMayGrant } from "@/server/identity/auth/grant";
import { createdApiKey, rotateInput } from "./schema";
import { aboutKey, lockKey, permissionsOf, requireNotRevoked, toApiKey } from "./to-api-key";

/**
 * Gives a key a new secret, which is in the answer and nowhere else. The former one works until the chosen overlap is
 * over, one from before that no longer. The caller who rotates a key holds it afterwards, so it has to be within what the caller
 * may give.
 * @throws AppError not_found, forbidden, conflict for a revoked key.
 */
export const rotateApiKey = operation({
  permission: "api_keys:manage",
  input: rotateInput,
  output: createdApiKey,
  stepUp: () => true,
  async run(ctx, { id, overlapSeconds }) {
    const { secret, shown, hash } = newSecret("apiKey");
    const { before, after, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockKey(tx, ctx, id);
      requireNotRevoked(found);
      requireMayGrant(ctx, permissionsOf(found));
      const change = {
        prefix: shown,
        keyHash: hash,
        formerHash: overlapSeconds > 0 ? found.keyHash : null,
        formerUntil: overlapSeconds > 0 ? new Date(ctx.now().getTime() + overlapSeconds * 1000) : null,
      };
      await tx.update(apiKeys).set(change).where(eq(apiKeys.id, id));
      return { before: found, after: { ...found, ...change }, about: await aboutKey(tx, found) };
    });
    callersChanged();
    record(ctx, {
      ...about,
      action: "api_key.rotate",
      details: { before: { prefix: before.prefix }, after: { prefix: after.prefix }, overlapSeconds },
    });
    return { ...(await toApiKey(after)), key: secret };
  },
});
