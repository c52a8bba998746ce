import { tenant } from "@/db/client";
import { record } from "@/server/audit/record/record";
import { AppError } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { onlyIdInput } from "@/server/ground/wire";
import { aboutEndpoint, lockEndpoint } from "@/server/notify/webhooks/endpoint";
import { queueWebhook } from "./queue";
import { delivery } from "./schema";
import { toDelivery } from "./visible";

/**
 * Sends a message of type notification.test to an endpoint; the delivery log has its result.
 * @throws AppError not_found, forbidden, conflict for a disabled endpoint, rate_limited
 */
export const testWebhook = operation({
  permission: "audit:manage",
  input: onlyIdInput,
  output: delivery,
  async run(ctx, { id }) {
    await limit("delivery", ctx.homeOrgId);
    const { row, endpoint, about } = await tenant(ctx.scope, async (tx) => {
      const endpoint = await lockEndpoint(tx, ctx, id);
      if (endpoint.disabledAt) throw new AppError("conflict", "The endpoint is disabled. Enable it first.");
      const message = { type: "notification.test", subject: "Test message", at: ctx.now() };
      const row = await queueWebhook(tx, endpoint, {
        ...message,
        data: { endpointId: id, message: "This is a test message." },
      });
      return { row, endpoint, about: await aboutEndpoint(tx, endpoint) };
    });
    record(ctx, { ...about, action: "webhook.test", details: { deliveryId: row.id } });
    return toDelivery(row, new Map([[id, endpoint.name]]));
  },
});
