import { and, inArray, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { notificationReads, notifications } from "@/db/schema";
import { operation } from "@/server/ground/operation";
import { requirePerson } from "@/server/identity/auth/person";
import { readInput } from "./schema";
import { changedAt, isReadBy, wantedBy } from "./wanted";

/**
 * Marks notifications as read by the caller; ids that the caller does not see are passed over. It is no act on anything
 * but the caller's own list, so the audit log does not hold it.
 * @throws AppError forbidden for programs
 */
export const markRead = operation({
  permission: "audit:read",
  input: readInput,
  output: "empty",
  async run(ctx, { ids }) {
    const person = requirePerson(ctx);
    if (ids?.length === 0) return;
    await tenant(ctx.scope, async (tx) => {
      // A process whose clock is behind must not leave unread what it marks.
      const readAt = sql<Date>`greatest(${ctx.now().toISOString()}::timestamptz, ${changedAt})`;
      const named = ids ? inArray(notifications.id, ids) : undefined;
      const unread = tx
        .select({
          userId: sql<string>`${person.id}::uuid`.as("user_id"),
          notificationId: notifications.id,
          readAt: readAt.as("read_at"),
        })
        .from(notifications)
        .where(and(await wantedBy(tx, ctx), named, sql`NOT ${isReadBy(ctx)}`));
      await tx
        .insert(notificationReads)
        .select(unread)
        .onConflictDoUpdate({
          target: [notificationReads.userId, notificationReads.notificationId],
          set: { readAt: sql`excluded.read_at` },
        });
    });
  },
});
