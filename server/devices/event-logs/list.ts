import { and, count, desc, eq, getTableColumns, gte, ilike, inArray, lte, type SQL, sql } from "drizzle-orm";
import { paginate } from "@/db/page";
import { tenantRead } from "@/db/read";
import { deviceEventLogs } from "@/db/schema";
import { findDevice, preferDeviceIndex } from "@/server/devices/find";
import { readMembers } from "@/server/ground/exact-json";
import { operation } from "@/server/ground/operation";
import { containsPattern } from "@/server/ground/text";
import { EVENT_CATEGORIES, EVENT_LEVELS, type EventLog, eventLogPage, type ListInput, listInput } from "./schema";

/** As text: the driver would take its numbers for doubles. */
const COLUMNS = { ...getTableColumns(deviceEventLogs), details: sql<string | null>`${deviceEventLogs.details}::text` };
type Row = Omit<typeof deviceEventLogs.$inferSelect, "details"> & { details: string | null };

const toEvent = (row: Row): EventLog => ({
  ...row,
  details: readMembers(row.details),
  timestamp: row.timestamp.toISOString(),
  createdAt: row.createdAt.toISOString(),
});

/**
 * The ids of a page of some categories or levels. The index begins with both, so each pair is a separate arm that is
 * read newest first, and the arms are merged: the cost is that of the page, however rare its rows are in the history.
 */
function pageOfArms(input: ListInput, device: { id: string }): SQL {
  const end = input.page * input.limit;
  const pairs = (input.category ?? EVENT_CATEGORIES).flatMap((category) =>
    (input.level ?? EVENT_LEVELS).map((level) => sql`(${category}, ${level})`),
  );
  return sql`ARRAY(
    SELECT e.id
    FROM (VALUES ${sql.join(pairs, sql`, `)}) AS arm(category, level)
    CROSS JOIN LATERAL (
      SELECT x.timestamp, x.id
      FROM device_event_logs x
      WHERE x.category = arm.category AND x.level = arm.level AND x.device_id = ${device.id}::uuid
        ${input.startDate ? sql`AND x.timestamp >= ${input.startDate.toISOString()}::timestamptz` : sql``}
        ${input.endDate ? sql`AND x.timestamp <= ${input.endDate.toISOString()}::timestamptz` : sql``}
      ORDER BY x.timestamp DESC, x.id DESC
      LIMIT ${end}) e
    ORDER BY e.timestamp DESC, e.id DESC
    LIMIT ${input.limit} OFFSET ${end - input.limit})`;
}

/**
 * One device's stored events, newest first; among equal timestamps the one stored last comes first.
 * @throws AppError not_found when the device is missing or another organization's.
 */
export const listEvents = operation({
  permission: "devices:read",
  input: listInput,
  output: eventLogPage,
  run(ctx, input) {
    const narrowed = input.category !== undefined || input.level !== undefined;
    return tenantRead(ctx.scope, async (tx) => {
      const [device] = await Promise.all([findDevice(ctx, tx, input.id), preferDeviceIndex(tx)]);
      const where = and(
        eq(deviceEventLogs.orgId, device.orgId),
        eq(deviceEventLogs.deviceId, device.id),
        // Both or neither: the index over the two is of use for one of them when the other's values are named.
        narrowed ? inArray(deviceEventLogs.category, input.category ?? [...EVENT_CATEGORIES]) : undefined,
        narrowed ? inArray(deviceEventLogs.level, input.level ?? [...EVENT_LEVELS]) : undefined,
        input.source ? inArray(deviceEventLogs.source, input.source) : undefined,
        input.search ? ilike(deviceEventLogs.message, containsPattern(input.search)) : undefined,
        input.startDate ? gte(deviceEventLogs.timestamp, input.startDate) : undefined,
        input.endDate ? lte(deviceEventLogs.timestamp, input.endDate) : undefined,
      );
      const newestFirst = [desc(deviceEventLogs.timestamp), desc(deviceEventLogs.id)];
      const page =
        narrowed && !input.source && !input.search
          ? tx
              .select(COLUMNS)
              .from(deviceEventLogs)
              .where(sql`${deviceEventLogs.id} = ANY (${pageOfArms(input, device)})`)
              .orderBy(...newestFirst)
          : tx
              .select(COLUMNS)
              .from(deviceEventLogs)
              .where(where)
              .orderBy(...newestFirst)
              .limit(input.limit)
              .offset((input.page - 1) * input.limit);
      const [rows, [counted]] = await Promise.all([
        page,
        tx.select({ total: count() }).from(deviceEventLogs).where(where),
      ]);
      return { data: rows.map(toEvent), pagination: paginate(input, counted?.total ?? 0) };
    });
  },
});
