import { asc, desc } from "drizzle-orm";
import { tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { webhookEndpoints } from "@/db/schema";
import { operation } from "@/server/ground/operation";
import { inReach } from "@/server/ground/scope";
import { reachesWholePartner } from "@/server/identity/auth/grant";
import { type EndpointRow, toWebhook, withoutAddress } from "./endpoint";
import { listInput, webhookPage } from "./schema";

/**
 * The webhook endpoints of the caller's organizations, newest first; those of the whole partner, where the caller reaches
 * less of it, with the host of their address alone.
 */
export const listWebhooks = operation({
  permission: "audit:manage",
  input: listInput,
  output: webhookPage,
  run(ctx, input) {
    const where = inReach(webhookEndpoints, ctx.scope);
    return tenant(ctx.scope, async (tx) => {
      const query = tx
        .select()
        .from(webhookEndpoints)
        .orderBy(desc(webhookEndpoints.createdAt), asc(webhookEndpoints.id))
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: webhookEndpoints, query, where });
      const isWhole = await reachesWholePartner(tx, ctx);
      const shown = (row: EndpointRow) => (isWhole || row.orgId !== null ? row : withoutAddress(row));
      return { data: rows.map((row) => toWebhook(shown(row))), pagination };
    });
  },
});
