import { sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { agents, detectionAlerts, devices } from "@/db/schema";
import { lastHeard } from "@/server/ground/last-heard";
import { FEW_DENIALS, MANY_DENIALS, SILENT_AFTER_MS } from "@/server/notify/vocabulary";
import { type Check, count, holding, type KindDefinition, number, openOf, time } from "./definition";

/** Organizations whose agents were heard before, but none lately. */
const checkSilentAgents: Check = async (now) => {
  const rows = await asSystem((tx) =>
    rowsOf<{ orgId: string; agents: number; heardMs: number | null }>(
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
  return { checked: "all", found };
};

/** Organizations with many denied entries within the hour, until they are few. */
const checkManyDenials: Check = async (now) => {
  const at = sql`${now.toISOString()}::timestamptz`;
  const open = await openOf("denials.many");
  const rows = await asSystem((tx) =>
    rowsOf<{ orgId: string; denied: number }>(
      tx,
      sql`SELECT o.id AS "orgId", a.denied FROM ${layout().everyOne()}
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS denied FROM audit_logs a
          WHERE a.org_id = o.id AND a.result = 'denied'
            AND a."timestamp" > ${at} - interval '1 hour' AND a."timestamp" <= ${at}) a
        WHERE a.denied >= ${FEW_DENIALS}`,
    ),
  );
  const found = rows.map(({ orgId, denied }) => ({
    orgId,
    holds: denied >= MANY_DENIALS || open.has(orgId),
    detail: { count: denied },
  }));
  return { checked: "all", found };
};

/** Alerts distinguished in a message; beyond that, the newest are named. */
const TOLD_ALERTS = 200;

/** Organizations with open alerts; another alert raises the notification again. */
const checkAlerts: Check = async () => {
  const rows = await asSystem((tx) =>
    rowsOf<{ orgId: string; count: number; ids: string[]; names: string[]; at: string }>(
      tx,
      // Names the newest.
      sql`SELECT org_id AS "orgId", count(*)::int AS count,
          (array_agg(id::text ORDER BY raised_at DESC, id))[1:${sql.raw(String(TOLD_ALERTS))}] AS ids,
          (array_agg(title ORDER BY raised_at DESC, id))[1:1] AS names,
          to_char(max(raised_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
        FROM ${detectionAlerts} WHERE state = 'open' AND notifies GROUP BY 1`,
    ),
  );
  return holding(rows);
};

export const organizationKinds = {
  "detection.alert": {
    page: "/alerts?orgId=",
    check: checkAlerts,
    raised: (org, { count: alerts = 1, names = [] }) =>
      alerts === 1
        ? `Alert in ${org}: ${names[0]}.`
        : `${number(alerts)} alerts are open in ${org}, the newest: ${names[0]}.`,
    resolved: (org) => `No alert of ${org} is open any more.`,
  },
  "agents.silent": {
    page: "/devices?orgId=",
    check: checkSilentAgents,
    raised: (org, { count: agents = 0, at }) =>
      agents === 1
        ? `Nothing has been heard from the agent of ${org} since ${time(at)}.`
        : `Nothing has been heard from any of the ${number(agents)} agents of ${org} since ${time(at)}.`,
    resolved: (org, { at }) => (at ? `An agent of ${org} was heard from again.` : `${org} has no agents any more.`),
  },
  "denials.many": {
    page: "/?result=denied&orgId=",
    check: checkManyDenials,
    raised: (org, { count: denied }) => `${count(denied, "entry", "entries")} of ${org} within one hour were denied.`,
    resolved: (org) => `Fewer than ${FEW_DENIALS} entries of ${org} were denied within the last hour.`,
  },
} satisfies Record<string, KindDefinition>;
