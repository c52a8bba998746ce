import { and, desc, eq, getTableColumns, gte, ilike, inArray, lte, type SQL, sql } from "drizzle-orm";
import { paginate } from "@/db/page";
import { tenantRead } from "@/db/read";
import { deviceEventLogs } from "@/db/schema/index";
import { storableDetails } from "@/server/audit/record/details";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { type AgentCaller, agentCaller } from "@/server/devices/agent-caller";
import { findDevice, preferDeviceIndex } from "@/server/devices/devices";
import { counter } from "@/server/ground/background/metrics";
import { readMembers } from "@/server/ground/exact-json";
import { newId } from "@/server/ground/ids";
import { operation } from "@/server/ground/operation";
import { isoTimes } from "@/server/ground/records";
import { containsPattern } from "@/server/ground/text";
import { byWrittenTime } from "@/server/ground/wire";
import {
  type DeviceEvent,
  EVENT_CATEGORIES,
  EVENT_LEVELS,
  type EventCategory,
  type EventLog,
  eventLogPage,
  ingestInput,
  ingestOutput,
  type ListInput,
  listInput,
} from "./event-log-schema";
import { type InsertRows, storeRows } from "./store-rows";

/** As text, because the driver would turn numbers into doubles. */
const COLUMNS = { ...getTableColumns(deviceEventLogs), details: sql<string | null>`${deviceEventLogs.details}::text` };
type Row = Omit<typeof deviceEventLogs.$inferSelect, "details"> & { details: string | null };

const toEvent = (row: Row): EventLog => ({
  ...isoTimes(row),
  details: readMembers(row.details),
});

/**
 * Ids of a page of some categories or levels. The index starts with both, so each pair is read newest first and the
 * results are merged: the cost depends on the page, not on how rare its rows are.
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
 * One device's stored events, newest first; within one timestamp the last stored first.
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
        // Both or neither: the index on the two needs values of both.
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
      const [rows, total] = await Promise.all([page, tx.$count(deviceEventLogs, where)]);
      return { data: rows.map(toEvent), pagination: paginate(input, total) };
    });
  },
});

const stored = counter("trailmark_device_events_total", "Device events stored, repeats not counted");

type StoredRow = { id: string; source: string; event_id: string | null };

/** Maps an event to its row. A blank eventId counts as none. */
const toRow = (e: DeviceEvent): StoredRow & Record<string, unknown> => ({
  id: newId(),
  timestamp: e.timestamp,
  level: e.level,
  category: e.category,
  source: e.source,
  event_id: e.eventId?.trim() ? e.eventId : null,
  message: e.message,
  details: storableDetails(e.details),
});

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** All requests lock keys of the deduplication index in this order, to avoid deadlocks. */
const byKey = (a: StoredRow, b: StoredRow): number =>
  order(a.source, b.source) || order(a.event_id ?? "", b.event_id ?? "");

const insertInto =
  (agent: AgentCaller): InsertRows =>
  (sql, rows) =>
    sql`
  INSERT INTO device_event_logs
    (id, device_id, org_id, timestamp, level, category, source, event_id, message, details)
  SELECT r.id, ${agent.deviceId}::uuid, ${agent.orgId}::uuid,
    r.timestamp, r.level, r.category, r.source, r.event_id, r.message, r.details
  FROM ${rows} AS r(
    id uuid, timestamp timestamptz, level text, category text, source text, event_id text, message text, details jsonb)
  WHERE r.timestamp >= coalesce((SELECT device_event_floor(${agent.orgId}::uuid)), '-infinity')
  ON CONFLICT DO NOTHING`;

function countCategories(events: DeviceEvent[]): Partial<Record<EventCategory, number>> {
  const counts: Partial<Record<EventCategory, number>> = {};
  for (const { category } of events) counts[category] = (counts[category] ?? 0) + 1;
  return counts;
}

/**
 * Stores an agent's events, all or none; silently ignores known ones by (device, source, eventId) (spec, States rule 5)
 * and those outside the organization's retention window. Audited as agent.eventlogs.submit if any is new.
 * @returns the number of new rows.
 */
export const ingestEvents = operation({
  input: ingestInput,
  output: ingestOutput,
  async run(ctx, { events }) {
    const agent = agentCaller(ctx);
    const rows = events.toSorted((a, b) => byWrittenTime(a.timestamp, b.timestamp)).map(toRow);
    const count = await storeRows(ctx.scope, rows.sort(byKey), insertInto(agent));
    stored.inc(count);
    if (count === 0) return { success: true, count };
    record(ctx, {
      action: "agent.eventlogs.submit",
      ...resourceOf("device", { id: agent.deviceId, name: agent.hostname }),
      details: { received: events.length, inserted: count, categories: countCategories(events) },
    });
    return { success: true, count };
  },
});
