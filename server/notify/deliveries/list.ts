import { and, desc, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { notificationDeliveries } from "@/db/schema";
import { operation } from "@/server/ground/operation";
import { deliveryPage, listInput } from "./schema";
import { namesOf, toDelivery, visible } from "./visible";

/** Delivery log, newest first: messages to endpoints that the caller administers, and mails to the caller. */
export const listDeliveries = operation({
  permission: "audit:manage",
  input: listInput,
  output: deliveryPage,
  run(ctx, input) {
    const t = notificationDeliveries;
    return tenant(ctx.scope, async (tx) => {
      const where = and(
        await visible(tx, ctx),
        input.endpointId ? eq(t.endpointId, input.endpointId) : undefined,
        input.status ? eq(t.status, input.status) : undefined,
      );
      const query = tx.select().from(t).orderBy(desc(t.createdAt), desc(t.id)).$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      const names = await namesOf(tx, rows);
      return { data: rows.map((row) => toDelivery(row, names)), pagination };
    });
  },
});
