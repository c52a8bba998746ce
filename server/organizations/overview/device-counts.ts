import { eq, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { agents, devices } from "@/db/schema";
import { lastHeard, onlineCondition } from "@/server/devices/presence";
import type { Scope } from "@/server/ground/context";
import { inScope } from "@/server/ground/scope";
import { HOUR_MS } from "@/server/ground/time/durations";
import { type OrganizationOverview, SILENT_AFTER_HOURS } from "./schema";

type Counts = NonNullable<OrganizationOverview["devices"]>;

/**
 * The devices of each organization by presence. Silent: its agent may still report, and was not heard for a day; one that
 * was never heard counts from when it joined.
 */
export async function deviceCountsOf(tx: Tx, scope: Scope, now: Date): Promise<Map<string, Counts>> {
  const silentBefore = new Date(now.getTime() - SILENT_AFTER_HOURS * HOUR_MS).toISOString();
  const rows = await rowsOf<Counts & { orgId: string }>(
    tx,
    sql`SELECT d.org_id AS "orgId", count(*) FILTER (WHERE d.online)::float8 AS online,
        count(*) FILTER (WHERE NOT d.online)::float8 AS offline,
        count(*) FILTER (WHERE NOT d.online AND d.reports AND d.heard_at < ${silentBefore}::timestamptz)::float8 AS silent
      FROM (
        SELECT ${devices.orgId} AS org_id, ${onlineCondition(now)} AS online,
          ${agents.id} IS NOT NULL AND ${agents.revokedAt} IS NULL AS reports,
          coalesce(${lastHeard}, ${devices.createdAt}) AS heard_at
        FROM ${devices} LEFT JOIN ${agents} ON ${eq(agents.deviceId, devices.id)}
        WHERE ${inScope(devices.orgId, scope)} OFFSET 0) d
      GROUP BY 1`,
  );
  return new Map(rows.map(({ orgId, ...counts }) => [orgId, counts]));
}
