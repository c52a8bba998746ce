import { asc, desc } from "drizzle-orm";
import { tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { webhookEndpoints } from "@/db/schema";
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
      const query = tx
        .select()
        .from(webhookEndpoints)
        .orderBy(desc(webhookEndpoints.createdAt), asc(webhookEndpoints.id))
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: webhookEndpoints, query, where });
      return { data: rows.map(toWebhook), pagination };
    });
  },
});
