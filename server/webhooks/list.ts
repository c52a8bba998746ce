import { asc, count, desc } from "drizzle-orm";
import { tenant } from "@/db/client";
import { webhookEndpoints } from "@/db/schema";
import { paginate } from "@/server/devices/list";
import { operation } from "@/server/operation";
import { endpointsInScope, toWebhook } from "./endpoint";
import { listInput, webhookPage } from "./schema";

/** The webhook endpoints that the caller administers, newest first. */
export const listWebhooks = operation({
  permission: "audit:manage",
  input: listInput,
  output: webhookPage,
  run(ctx, input) {
    const where = endpointsInScope(ctx);
    return tenant(ctx.scope, async (tx) => {
      const [rows, [counted]] = await Promise.all([
        tx
          .select()
          .from(webhookEndpoints)
          .where(where)
          .orderBy(desc(webhookEndpoints.createdAt), asc(webhookEndpoints.id))
          .limit(input.limit)
          .offset((input.page - 1) * input.limit),
        tx.select({ total: count() }).from(webhookEndpoints).where(where),
      ]);
      return { data: rows.map(toWebhook), pagination: paginate(input, counted?.total ?? 0) };
    });
  },
});
