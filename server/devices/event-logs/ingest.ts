import { record } from "@/server/audit/record/record";
import { storableDetails } from "@/server/audit/record/to-row";
import { resourceOf } from "@/server/audit/resource-of";
import { type AgentCaller, agentCaller } from "@/server/devices/agent-caller";
import { type InsertRows, storeRows } from "@/server/devices/agents/store-rows";
import { counter } from "@/server/ground/background/metrics";
import { env } from "@/server/ground/env";
import { newId } from "@/server/ground/ids";
import { operation } from "@/server/ground/operation";
import { type DeviceEvent, type EventCategory, ingestInput, ingestOutput } from "./schema";

const stored = counter("trailmark_device_events_total", "Device events stored, repeats not counted");

type Row = { id: string; source: string; event_id: string | null };

/** An event as the columns of its row. An empty eventId names nothing, so it counts as none. */
const toRow = (e: DeviceEvent): Row & Record<string, unknown> => ({
  id: newId(),
  timestamp: e.timestamp,
  level: e.level,
  category: e.category,
  source: e.source,
  event_id: e.eventId || null,
  message: e.message,
  details: storableDetails(e.details),
});

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** Every request locks keys of the deduplication index in this order, so that two at once cannot deadlock. */
const byKey = (a: Row, b: Row): number => order(a.source, b.source) || order(a.event_id ?? "", b.event_id ?? "");

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
  ON CONFLICT ${env().TRAILMARK_CITUS ? sql`(org_id, device_id, source, event_id)` : sql`(device_id, source, event_id)`} DO NOTHING`;

function countCategories(events: DeviceEvent[]): Partial<Record<EventCategory, number>> {
  const counts: Partial<Record<EventCategory, number>> = {};
  for (const { category } of events) counts[category] = (counts[category] ?? 0) + 1;
  return counts;
}

/**
 * Stores an agent's events, all of them or none; those already stored under the same (device, source, eventId) are
 * silently ignored (spec, States rule 5), and so are those past the organization's window, which retention would remove.
 * Audited as agent.eventlogs.submit.
 * @returns how many rows are new.
 */
export const ingestEvents = operation({
  input: ingestInput,
  output: ingestOutput,
  async run(ctx, { events }) {
    const agent = agentCaller(ctx);
    const count = await storeRows(ctx.scope, events.map(toRow).sort(byKey), insertInto(agent));
    stored.inc(count);
    record(ctx, {
      action: "agent.eventlogs.submit",
      orgId: agent.orgId,
      ...resourceOf("device", { id: agent.deviceId, name: agent.hostname }),
      details: { received: events.length, inserted: count, categories: countCategories(events) },
      result: "success",
    });
    return { success: true, count };
  },
});
