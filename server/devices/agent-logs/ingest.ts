import { storableDetails } from "@/server/audit/record/to-row";
import { type AgentCaller, agentCaller } from "@/server/devices/agent-caller";
import { type InsertRows, storeRows } from "@/server/devices/agents/store-rows";
import { counter } from "@/server/ground/background/metrics";
import { env } from "@/server/ground/env";
import { newId } from "@/server/ground/ids";
import { operation } from "@/server/ground/operation";
import { ingestInput, ingestOutput, type LogEntry } from "./schema";

const stored = counter("trailmark_diagnostic_logs_total", "Diagnostic logs of agents stored");

/** An entry as the columns of its row. */
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
  ${env().TRAILMARK_CITUS ? sql`ON CONFLICT DO NOTHING` : sql``}`;

/**
 * Stores an agent's own diagnostics, all of them or none.
 * @returns the number of records inserted.
 */
export const ingestLogs = operation({
  input: ingestInput,
  output: ingestOutput,
  async run(ctx, { logs }) {
    const agent = agentCaller(ctx);
    const received = await storeRows(ctx.scope, logs.map(toRow), insertInto(agent));
    stored.inc(received);
    return { received };
  },
});
