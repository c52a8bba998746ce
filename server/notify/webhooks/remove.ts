import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { webhookEndpoints } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { operation } from "@/server/ground/operation";
import { onlyIdInput } from "@/server/ground/wire";
import { aboutEndpoint, auditable, lockEndpoint } from "./endpoint";

/**
 * Deletes an endpoint with its delivery log.
 * @throws AppError not_found, forbidden
 */
export const removeWebhook = operation({
  permission: "audit:manage",
  input: onlyIdInput,
  output: "empty",
  async run(ctx, { id }) {
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockEndpoint(tx, ctx, id);
      await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.id, id));
      return { row: found, about: await aboutEndpoint(tx, found) };
    });
    record(ctx, { ...about, action: "webhook.delete", details: { before: auditable(row) } });
  },
});
