import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { SILENT_AFTER_MS } from "@/server/notifications/vocabulary";
import type { Finding } from "./finding";

type Row = { orgId: string; agents: number; heardMs: number | null };

/** Organizations whose agents have been heard once, and none of them lately. */
export async function checkSilentAgents(now: Date): Promise<Finding[]> {
  const rows = await asSystem((tx) =>
    rowsOf<Row>(
      tx,
      sql`SELECT a.org_id AS "orgId", count(*)::int AS agents,
          (extract(epoch FROM max(greatest(d.last_seen_at, coalesce(s.closed_at, s.beat_at)))) * 1000)::float8 AS "heardMs"
        FROM agents a
        JOIN devices d ON d.id = a.device_id
        LEFT JOIN agent_streams s ON s.device_id = d.id
        WHERE a.revoked_at IS NULL GROUP BY a.org_id`,
    ),
  );
  const found = rows.flatMap(({ orgId, agents, heardMs }) => {
    if (heardMs === null) return [];
    const detail = { count: agents, at: new Date(heardMs).toISOString() };
    return [{ orgId, holds: now.getTime() - heardMs > SILENT_AFTER_MS, detail }];
  });
  return [{ kind: "agents.silent", checked: "all", found }];
}
