import { and, desc, eq, getTableColumns, gte, ilike, inArray, lte, sql } from "drizzle-orm";
import { readPage } from "@/db/page";
import { tenantRead } from "@/db/read";
import { agentLogs } from "@/db/schema/index";
import { storableDetails } from "@/server/audit/record/details";
import { type AgentCaller, agentCaller } from "@/server/devices/agent-caller";
import { findDevice, preferDeviceIndex } from "@/server/devices/devices";
import { counter } from "@/server/ground/background/metrics";
import { readMembers } from "@/server/ground/exact-json";
import { newId } from "@/server/ground/ids";
import { operation } from "@/server/ground/operation";
import { isoTimes } from "@/server/ground/records";
import { containsPattern } from "@/server/ground/text";
import { byWrittenTime } from "@/server/ground/wire";
import { type AgentLog, agentLogPage, ingestInput, ingestOutput, type LogEntry, listInput } from "./agent-log-schema";
import { type InsertRows, storeRows } from "./store-rows";

/** As text, because the driver would turn numbers into doubles. */
const COLUMNS = { ...getTableColumns(agentLogs), fields: sql<string | null>`${agentLogs.fields}::text` };
type Row = Omit<typeof agentLogs.$inferSelect, "fields"> & { fields: string | null };

const toLog = (row: Row): AgentLog => ({
  ...isoTimes(row),
  fields: readMembers(row.fields),
});

/**
 * One device's diagnostic logs, newest first; within one timestamp the last stored first.
 * @throws AppError not_found when the device is missing or another organization's.
 */
export const listLogs = operation({
  permission: "devices:read",
  input: listInput,
  output: agentLogPage,
  run(ctx, input) {
    return tenantRead(ctx.scope, async (tx) => {
      const [device] = await Promise.all([findDevice(ctx, tx, input.id), preferDeviceIndex(tx)]);
      const where = and(
        eq(agentLogs.orgId, device.orgId),
        eq(agentLogs.deviceId, device.id),
        input.level ? inArray(agentLogs.level, input.level) : undefined,
        input.component ? inArray(agentLogs.component, input.component) : undefined,
        input.since ? gte(agentLogs.timestamp, input.since) : undefined,
        input.until ? lte(agentLogs.timestamp, input.until) : undefined,
        input.search ? ilike(agentLogs.message, containsPattern(input.search)) : undefined,
      );
      const query = tx
        .select(COLUMNS)
        .from(agentLogs)
        .orderBy(desc(agentLogs.timestamp), desc(agentLogs.id))
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: agentLogs, query, where });
      const { page, limit, total } = pagination;
      return { logs: rows.map(toLog), total, limit, offset: (page - 1) * limit };
    });
  },
});

const stored = counter("trailmark_diagnostic_logs_total", "Diagnostic logs of agents stored");

const toRow = (entry: LogEntry): object => ({
  id: newId(),
  timestamp: entry.timestamp,
  level: entry.level,
  component: entry.component,
  message: entry.message,
  fields: storableDetails(entry.fields),
  agent_version: entry.agentVersion,
});

const insertInto =
  (agent: AgentCaller): InsertRows =>
  (sql, rows) =>
    sql`
  INSERT INTO agent_logs (id, device_id, org_id, timestamp, level, component, message, fields, agent_version)
  SELECT r.id, ${agent.deviceId}::uuid, ${agent.orgId}::uuid,
    r.timestamp, r.level, r.component, r.message, r.fields, r.agent_version
  FROM ${rows} AS r(
    id uuid, timestamp timestamptz, level text, component text, message text, fields jsonb, agent_version text)
  ON CONFLICT DO NOTHING`;

/**
 * Stores an agent's own diagnostics, all or none.
 * @returns the number of records inserted.
 */
export const ingestLogs = operation({
  input: ingestInput,
  output: ingestOutput,
  async run(ctx, { logs }) {
    const agent = agentCaller(ctx);
    const rows = logs.toSorted((a, b) => byWrittenTime(a.timestamp, b.timestamp)).map(toRow);
    const received = await storeRows(ctx.scope, rows, insertInto(agent));
    stored.inc(received);
    return { received };
  },
});
