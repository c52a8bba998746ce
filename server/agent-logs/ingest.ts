import { sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { type AgentCaller, agentCaller } from "../agents/caller";
import type { Ctx } from "../context";
import { newId } from "../ids";
import { repairJson, repairText } from "../text";
import type { IngestInput, IngestOutput, LogEntry } from "./schema";

/** Spec, Limits: insert batch size. */
export const INSERT_BATCH_ROWS = 100;

/** An entry as the columns of its row. */
const toRow = (entry: LogEntry): object => ({
  id: newId(),
  timestamp: entry.timestamp,
  level: entry.level,
  component: repairText(entry.component),
  message: repairText(entry.message),
  fields: repairJson(entry.fields),
  agent_version: repairJson(entry.agentVersion),
});

async function insertRows(tx: Tx, agent: AgentCaller, rows: object[]): Promise<number> {
  const result = await tx.execute(sql`
    INSERT INTO agent_logs (id, device_id, org_id, timestamp, level, component, message, fields, agent_version)
    SELECT r.id, ${agent.deviceId}::uuid, ${agent.orgId}::uuid,
      r.timestamp, r.level, r.component, r.message, r.fields, r.agent_version
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS r(
      id uuid, timestamp timestamptz, level text, component text, message text, fields jsonb, agent_version text)`);
  return result.count;
}

/**
 * Stores an agent's own diagnostics, all of them or none.
 * @returns the number of records inserted.
 */
export async function ingestLogs(ctx: Ctx, { logs }: IngestInput): Promise<IngestOutput> {
  const agent = agentCaller(ctx);
  if (logs.length === 0) return { received: 0 };
  const rows = logs.map(toRow);
  const batches: object[][] = [];
  for (let i = 0; i < rows.length; i += INSERT_BATCH_ROWS) batches.push(rows.slice(i, i + INSERT_BATCH_ROWS));
  const counts = await tenant(ctx.scope, (tx) => Promise.all(batches.map((batch) => insertRows(tx, agent, batch))));
  return { received: counts.reduce((sum, n) => sum + n, 0) };
}
