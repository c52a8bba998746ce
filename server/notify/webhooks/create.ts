import { tenant } from "@/db/client";
import { oneOf } from "@/db/rows";
import { webhookEndpoints } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { newId } from "@/server/ground/ids";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { ownerFor } from "@/server/ground/partner";
import { ofOwner } from "@/server/ground/scope";
import { requireWholePartner } from "@/server/identity/auth/grant";
import { aboutEndpoint, auditable, checkAddress, toWebhook } from "./endpoint";
import { createdWebhook, createInput } from "./schema";
import { newSigningSecret, sealSecret } from "./sign";

/** A limit, because every notification of the owner is posted to each. */
const MAX_PER_OWNER = 50;
const t = webhookEndpoints;

/**
 * Adds an address that notifications are posted to. Its signing secret is in the answer and nowhere else.
 * @throws AppError validation_failed for an address that the operator does not allow, conflict when there are too many, forbidden
 */
export const createWebhook = operation({
  permission: "audit:manage",
  input: createInput,
  output: createdWebhook,
  stepUp: () => true,
  async run(ctx, input) {
    checkAddress(input.url);
    const owner = await ownerFor(ctx, input);
    const { orgId, partnerId } = owner;
    const id = newId();
    const secret = newSigningSecret();
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      if (!orgId) await requireWholePartner(tx, ctx);
      const bound = { max: MAX_PER_OWNER, owner: orgId ?? partnerId, what: "webhooks" };
      await requireQuota(tx, { table: t, where: ofOwner(t, owner), ...bound });
      const created = await tx
        .insert(webhookEndpoints)
        .values({
          id,
          ...owner,
          name: input.name,
          url: input.url,
          kinds: input.kinds,
          secret: sealSecret(secret, id),
          createdBy: ctx.actor.type === "user" ? ctx.actor.id : null,
        })
        .returning();
      const row = oneOf(created);
      return { row, about: await aboutEndpoint(tx, row) };
    });
    record(ctx, { ...about, action: "webhook.create", details: { after: auditable(row) } });
    return { ...toWebhook(row), secret };
  },
});
