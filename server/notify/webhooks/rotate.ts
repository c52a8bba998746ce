import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { webhookEndpoints } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { operation } from "@/server/ground/operation";
import { aboutEndpoint, lockEndpoint, toWebhook } from "./endpoint";
import { createdWebhook, rotateInput } from "./schema";
import { newSigningSecret, sealSecret } from "./sign";

/**
 * Gives an endpoint a new signing secret, which is in the answer and nowhere else. Until the overlap is over messages
 * carry two signatures, by the new and by the former secret.
 * @throws AppError not_found, forbidden
 */
export const rotateWebhook = operation({
  permission: "audit:manage",
  input: rotateInput,
  output: createdWebhook,
  stepUp: () => true,
  async run(ctx, { id, overlapSeconds }) {
    const secret = newSigningSecret();
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockEndpoint(tx, ctx, id);
      const change = {
        secret: sealSecret(secret, id),
        formerSecret: overlapSeconds > 0 ? found.secret : null,
        formerUntil: overlapSeconds > 0 ? new Date(ctx.now().getTime() + overlapSeconds * 1000) : null,
        updatedAt: ctx.now(),
      };
      await tx.update(webhookEndpoints).set(change).where(eq(webhookEndpoints.id, id));
      return { row: { ...found, ...change }, about: await aboutEndpoint(tx, found) };
    });
    record(ctx, { ...about, action: "webhook.rotate", details: { overlapSeconds } });
    return { ...toWebhook(row), secret };
  },
});
