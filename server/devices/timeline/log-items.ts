import { type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { wordsOf } from "@/server/audit/query/values";
import type { AgentLog } from "@/server/devices/logs/agent-log-schema";
import type { EventLog } from "@/server/devices/logs/event-log-schema";
import { readMembers } from "@/server/ground/exact-json";
import { containsPattern } from "@/server/ground/text";
import type { Start } from "./cursor";
import type { TimelineInput, TimelineItem } from "./schema";

/** after: items after a time instead, nearest first. */
type Window = Pick<TimelineInput, "from" | "to" | "search" | "limit"> & { after?: Date };
type ItemRequest = { device: { id: string; orgId: string }; input: Window; start: Start };
type Found<T> = Omit<T, "timestamp" | "createdAt"> & { id: string } & {
  ms: number;
  createdMs: number;
  json: string | null;
};

const instantOf = (date: Date): SQL => sql`${date.toISOString()}::timestamptz`;

function startsBehind({ ms, before, isAfterAll }: NonNullable<Start>): SQL {
  const at = instantOf(new Date(ms));
  if (before !== null) return sql`(l.timestamp, l.id) < (${at}, ${before}::uuid)`;
  return isAfterAll ? sql`l.timestamp <= ${at}` : sql`l.timestamp < ${at}`;
}

/** One device's rows by its own index: newest first, or starting at a time. */
function windowOf({ device, input, start }: ItemRequest, texts: SQL): SQL {
  const { from, to, search, after } = input;
  const order = sql.raw(after ? "ASC" : "DESC");
  const words = wordsOf(search ?? "");
  return sql`l.device_id = ${device.id}::uuid AND l.org_id = ${device.orgId}::uuid
    ${from ? sql`AND l.timestamp >= ${instantOf(from)}` : sql``}
    ${to ? sql`AND l.timestamp <= ${instantOf(to)}` : sql``}
    ${start ? sql`AND ${startsBehind(start)}` : sql``}
    ${words.length > 0 ? sql`AND (${texts}) ILIKE ALL (${textArray(words.map(containsPattern))})` : sql``}
    ${after ? sql`AND l.timestamp > ${instantOf(after)}` : sql``}
    ORDER BY l.timestamp ${order}, l.id ${order} LIMIT ${input.limit + 1}`;
}

const TIMES = sql.raw(
  `(extract(epoch FROM l.timestamp) * 1000)::float8 AS ms, (extract(epoch FROM l.created_at) * 1000)::float8 AS "createdMs"`,
);
const OWN = sql.raw(`l.id, l.device_id AS "deviceId", l.org_id AS "orgId", l.level, l.message`);

/** texts: text of an item as on the screen, with its structured part. */
type Kind = { table: SQL; columns: SQL; texts: SQL };

const DIAGNOSTIC: Kind = {
  table: sql`agent_logs`,
  columns: sql`l.component, l.agent_version AS "agentVersion", l.fields::text AS json`,
  texts: sql`l.component || ': ' || l.message || ' ' || coalesce(l.fields::text, '')`,
};
const EVENT: Kind = {
  table: sql`device_event_logs`,
  columns: sql`l.category, l.source, l.event_id AS "eventId", l.details::text AS json`,
  texts: sql`l.source || ': ' || l.message || ' ' || coalesce(l.details::text, '')`,
};

/** Rows of a kind, with their structured part as members. */
async function readRows<T extends { id: string }>(tx: Tx, request: ItemRequest, { table, columns, texts }: Kind) {
  const rows = await rowsOf<Found<T>>(
    tx,
    sql`SELECT ${OWN}, ${columns}, ${TIMES} FROM ${table} l WHERE ${windowOf(request, texts)}`,
  );
  return rows.map(({ ms, createdMs, json, ...row }) => {
    const times = { timestamp: new Date(ms).toISOString(), createdAt: new Date(createdMs).toISOString() };
    return { at: times.timestamp, row: { ...row, ...times }, members: readMembers(json) };
  });
}

/** Newest diagnostic log entries of a device, from a start position on. */
export const diagnosticItems = async (tx: Tx, request: ItemRequest): Promise<TimelineItem[]> =>
  (await readRows<Omit<AgentLog, "fields">>(tx, request, DIAGNOSTIC)).map(({ at, row, members }) => ({
    source: "diagnostic",
    at,
    key: row.id,
    log: { ...row, fields: members },
  }));

/** Newest stored events of a device, from a start position on. */
export const eventItems = async (tx: Tx, request: ItemRequest): Promise<TimelineItem[]> =>
  (await readRows<Omit<EventLog, "details">>(tx, request, EVENT)).map(({ at, row, members }) => ({
    source: "event",
    at,
    key: row.id,
    event: { ...row, details: members },
  }));
