import { and, isNull } from "drizzle-orm";
import { tenant } from "@/db/client";
import { oneOf } from "@/db/rows";
import { apiKeys } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { invalid } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { ownerFor } from "@/server/ground/partner";
import { ofOwner } from "@/server/ground/scope";
import { newSecret } from "@/server/ground/secrets";
import { requireMayGrant, requireWholePartner } from "@/server/identity/auth/grant";
import { createdApiKey, createInput } from "./schema";
import { aboutKey, toApiKey } from "./to-api-key";

/** Of keys that are not revoked. */
const MAX_PER_OWNER = 1_000;
const t = apiKeys;

/**
 * Creates an API key with permissions and reach within its creator's. The key is in the answer and nowhere else.
 * @throws AppError forbidden, conflict when there are too many, validation_failed when it would be expired at once.
 */
export const createApiKey = operation({
  permission: "api_keys:manage",
  input: createInput,
  output: createdApiKey,
  stepUp: () => true,
  async run(ctx, input) {
    requireMayGrant(ctx, input.permissions);
    if (input.expiresAt && input.expiresAt <= ctx.now()) throw invalid("expiresAt", "is in the past");
    const owner = await ownerFor(ctx, input);
    const { orgId, partnerId } = owner;
    const { secret, shown, hash } = newSecret("apiKey");
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      if (!orgId) await requireWholePartner(tx, ctx);
      const bound = { max: MAX_PER_OWNER, owner: orgId ?? partnerId, what: "API keys" };
      await requireQuota(tx, { table: t, where: and(ofOwner(t, owner), isNull(t.revokedAt)), ...bound });
      const inserted = await tx
        .insert(apiKeys)
        .values({
          id: newId(),
          ...owner,
          name: input.name,
          prefix: shown,
          keyHash: hash,
          permissions: input.permissions,
          expiresAt: input.expiresAt ?? null,
          createdBy: ctx.actor.type === "user" ? ctx.actor.id : null,
        })
        .returning();
      const row = oneOf(inserted);
      return { row, about: await aboutKey(tx, row) };
    });
    const expiresAt = row.expiresAt?.toISOString() ?? null;
    record(ctx, {
      ...about,
      action: "api_key.create",
      details: { after: { prefix: shown, orgId, permissions: row.permissions, expiresAt } },
    });
    return { ...(await toApiKey(row)), key: secret };
  },
});
