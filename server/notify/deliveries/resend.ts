import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { oneOf } from "@/db/rows";
import { notificationDeliveries, webhookEndpoints } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { AppError } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { onlyIdInput } from "@/server/ground/wire";
import { aboutEndpoint } from "@/server/notify/webhooks/endpoint";
import { queueAttempt } from "./queue";
import { delivery } from "./schema";
import { lockDelivery, namesOf, toDelivery } from "./visible";

/**
 * Sends a message again now, whatever its state, under the same id, so that a receiver recognizes it. On failure it is
 * retried like a new one.
 * @throws AppError not_found, forbidden, conflict while its endpoint is disabled, rate_limited
 */
export const resendDelivery = operation({
  permission: "audit:manage",
  input: onlyIdInput,
  output: delivery,
  async run(ctx, { id }) {
    const t = notificationDeliveries;
    await limit("delivery", ctx.homeOrgId);
    const { row, about, names } = await tenant(ctx.scope, async (tx) => {
      const found = await lockDelivery(tx, ctx, id);
      const [endpoint] = found.endpointId
        ? await tx.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, found.endpointId))
        : [];
      if (endpoint?.disabledAt) throw new AppError("conflict", "The endpoint is disabled. Enable it first.");
      const again = await tx
        .update(t)
        .set({ status: "pending", attempts: 0, nextAttemptAt: ctx.now() })
        .where(eq(t.id, id))
        .returning();
      const row = oneOf(again);
      await queueAttempt(tx, row);
      const about = endpoint && (await aboutEndpoint(tx, endpoint));
      return { row, about, names: await namesOf(tx, [row]) };
    });
    if (about)
      record(ctx, {
        ...about,
        action: "webhook.resend",
        details: { deliveryId: id, type: row.type, subject: row.subject },
      });
    return toDelivery(row, names);
  },
});
