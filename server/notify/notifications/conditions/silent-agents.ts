import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { agents, devices } from "@/db/schema";
import { lastHeard } from "@/server/devices/presence";
import { SILENT_AFTER_MS } from "@/server/notify/vocabulary";
import type { Finding } from "./finding";

type Row = { orgId: string; agents: number; heardMs: number | null };

/** Organizations whose agents have been heard once, and none of them lately. */
export async function checkSilentAgents(now: Date): Promise<Finding[]> {
  const rows = await asSystem((tx) =>
    rowsOf<Row>(
      tx,
      sql`SELECT ${agents.orgId} AS "orgId", count(*)::int AS agents,
          (extract(epoch FROM max(${lastHeard})) * 1000)::float8 AS "heardMs"
        FROM ${agents} JOIN ${devices} ON ${devices.id} = ${agents.deviceId}
        WHERE ${agents.revokedAt} IS NULL GROUP BY 1`,
    ),
  );
  const found = rows.flatMap(({ orgId, agents, heardMs }) => {
    if (heardMs === null) return [];
    const detail = { count: agents, at: new Date(heardMs).toISOString() };
    return [{ orgId, holds: now.getTime() - heardMs > SILENT_AFTER_MS, detail }];
  });
  return [{ kind: "agents.silent", checked: "all", found }];
}
