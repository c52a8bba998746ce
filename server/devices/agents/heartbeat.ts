import { sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { agentCaller } from "@/server/devices/agent-caller";
import { STOPPED } from "@/server/devices/schema";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { HEARTBEAT_INTERVAL_SECONDS, heartbeatInput, heartbeatOutput } from "./schema";

const jsonOrNull = (value: object | null | undefined): string | null => (value ? JSON.stringify(value) : null);

/**
 * Records that an agent is alive, with its facts; omitted members stay, except "stopped". A source address or hostname
 * different from the last heartbeat's is audited with both values (spec: agent.source.ip.changed).
 * @returns the seconds until the next heartbeat is due.
 * @throws AppError not_found when its device is gone
 */
export const recordHeartbeat = operation({
  input: heartbeatInput,
  output: heartbeatOutput,
  async run(ctx, input) {
    const agent = agentCaller(ctx);
    const { agentVersion, status, metrics } = input;
    const hostname = input.hostname ?? agent.hostname;
    const now = ctx.now().toISOString();
    // Reads the former values under the row's lock, so concurrent heartbeats see each other's result.
    const [row] = await tenant(ctx.scope, (tx) =>
      rowsOf<{ lastIp: string | null; hostname: string }>(
        tx,
        sql`
      UPDATE devices d
      SET last_seen_at = ${now}::timestamptz,
        last_ip = coalesce(${ctx.ip}, d.last_ip),
        hostname = coalesce(${input.hostname ?? null}, d.hostname),
        updated_at = CASE WHEN d.hostname <> ${input.hostname ?? null} THEN ${now}::timestamptz ELSE d.updated_at END,
        agent_version = coalesce(${agentVersion ?? null}, d.agent_version),
        status = coalesce(${status ?? null}, nullif(d.status, ${STOPPED})),
        metrics = coalesce(${jsonOrNull(metrics)}::text::jsonb, d.metrics)
      FROM (SELECT id, last_ip, hostname FROM devices WHERE id = ${agent.deviceId} FOR NO KEY UPDATE) old
      WHERE d.id = old.id
      RETURNING old.last_ip AS "lastIp", old.hostname`,
      ),
    );
    if (!row) throw notFound("agent");
    const about = resourceOf("device", { id: agent.deviceId, name: hostname });
    if (row.lastIp && ctx.ip && row.lastIp !== ctx.ip)
      record(ctx, {
        ...about,
        action: "agent.source.ip.changed",
        details: { agentId: agent.id, previousIp: row.lastIp, currentIp: ctx.ip },
      });
    if (input.hostname && row.hostname !== hostname)
      record(ctx, {
        ...about,
        action: "device.update",
        details: { before: { hostname: row.hostname }, after: { hostname } },
      });
    return { ok: true, intervalSeconds: HEARTBEAT_INTERVAL_SECONDS };
  },
});
