import { createServer, type IncomingMessage } from "node:http";
import postgres from "postgres";
import type { Agent } from "@/bench/http";
import { type DeviceEvent, ingestInput } from "@/server/devices/logs/event-log-schema";
import { newId } from "@/server/ground/ids";
import { listen } from "@/testing/port-of";

/** One plain statement for all events of a request. */
export async function insertEvents(sql: postgres.Sql, agent: Agent, events: readonly DeviceEvent[]): Promise<number> {
  const rows = events.map((e) => ({ ...e, id: newId(), event_id: e.eventId ?? null }));
  const { count } = await sql`
    INSERT INTO device_event_logs (id, device_id, org_id, timestamp, level, category, source, event_id, message, details)
    SELECT r.id, ${agent.deviceId}::uuid, ${agent.orgId}::uuid, r.timestamp, r.level, r.category, r.source, r.event_id, r.message, r.details
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS r(id uuid, timestamp timestamptz, level text, category text,
      source text, event_id text, message text, details jsonb)
    ON CONFLICT (device_id, source, event_id) DO NOTHING`;
  return count;
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** Bare node:http server that does only the work of PUT /agents/:id/eventlogs: parse, zod, insert. */
export async function serveBare(agent: Agent): Promise<void> {
  const connection = { "trailmark.scope": "system" };
  const sql = postgres(process.env.DATABASE_URL ?? "", { max: 20, connection, onnotice: () => {} });
  const server = createServer(async (incoming, outgoing) => {
    try {
      const { events } = ingestInput.parse({ id: agent.id, ...JSON.parse(await textOf(incoming)) });
      const count = await insertEvents(sql, agent, events);
      outgoing.setHeader("content-type", "application/json").end(JSON.stringify({ success: true, count }));
    } catch (error) {
      outgoing.writeHead(500).end(String(error));
    }
  });
  process.stdout.write(`${JSON.stringify({ port: await listen(server) })}\n`);
}
