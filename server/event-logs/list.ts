import { and, count, desc, eq, gte, lte } from "drizzle-orm";
import { tenant } from "@/db/client";
import { deviceEventLogs } from "@/db/schema";
import type { Ctx } from "../context";
import { findDevice, preferDeviceIndex } from "../devices/find";
import { paginate } from "../devices/list";
import { repairText } from "../text";
import type { EventLog, EventLogPage, ListInput } from "./schema";

const toEvent = (row: typeof deviceEventLogs.$inferSelect): EventLog => ({
  ...row,
  level: row.level as EventLog["level"],
  category: row.category as EventLog["category"],
  details: row.details as EventLog["details"],
  timestamp: row.timestamp.toISOString(),
  createdAt: row.createdAt.toISOString(),
});

/**
 * One device's stored events, newest first; among equal timestamps the one stored last comes first.
 * @throws AppError not_found when the device is missing or another organization's.
 */
export function listEvents(ctx: Ctx, input: ListInput): Promise<EventLogPage> {
  return tenant(ctx.scope, async (tx) => {
    const [device] = await Promise.all([findDevice(ctx, tx, input.id), preferDeviceIndex(tx)]);
    const where = and(
      eq(deviceEventLogs.orgId, device.orgId),
      eq(deviceEventLogs.deviceId, device.id),
      input.category ? eq(deviceEventLogs.category, input.category) : undefined,
      input.level ? eq(deviceEventLogs.level, input.level) : undefined,
      input.source ? eq(deviceEventLogs.source, repairText(input.source)) : undefined,
      input.startDate ? gte(deviceEventLogs.timestamp, input.startDate) : undefined,
      input.endDate ? lte(deviceEventLogs.timestamp, input.endDate) : undefined,
    );
    const [rows, [counted]] = await Promise.all([
      tx
        .select()
        .from(deviceEventLogs)
        .where(where)
        .orderBy(desc(deviceEventLogs.timestamp), desc(deviceEventLogs.id))
        .limit(input.limit)
        .offset((input.page - 1) * input.limit),
      tx.select({ total: count() }).from(deviceEventLogs).where(where),
    ]);
    return { data: rows.map(toEvent), pagination: paginate(input, counted?.total ?? 0) };
  });
}
