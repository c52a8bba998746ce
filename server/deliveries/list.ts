import { and, count, desc, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { notificationDeliveries } from "@/db/schema";
import { paginate } from "@/server/devices/list";
import { operation } from "@/server/operation";
import { deliveryPage, listInput } from "./schema";
import { namesOf, toDelivery, visible } from "./visible";

/** The delivery log, newest first: messages to the endpoints that the caller administers, and mails to the caller. */
export const listDeliveries = operation({
  permission: "audit:manage",
  input: listInput,
  output: deliveryPage,
  run(ctx, input) {
    const t = notificationDeliveries;
    const where = and(
      visible(ctx),
      input.endpointId ? eq(t.endpointId, input.endpointId) : undefined,
      input.status ? eq(t.status, input.status) : undefined,
    );
    return tenant(ctx.scope, async (tx) => {
      const [rows, [counted]] = await Promise.all([
        tx
          .select()
          .from(t)
          .where(where)
          .orderBy(desc(t.createdAt), desc(t.id))
          .limit(input.limit)
          .offset((input.page - 1) * input.limit),
        tx.select({ total: count() }).from(t).where(where),
      ]);
      const names = await namesOf(tx, rows);
      return { data: rows.map((row) => toDelivery(row, names)), pagination: paginate(input, counted?.total ?? 0) };
    });
  },
});
