import { sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { Break } from "@/server/evidence/chain/verifier";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { gauge } from "@/server/ground/background/metrics";
import { openAlarms, raiseAlarm, refreshAlarms } from "./alarm";
import { DECIDING_RUN } from "./coverage";
import { listLostHeads, raiseHeadAlarms } from "./heads";

const POLL_MS = 15_000;

/** Chains that have lost their head, polled for the metric. */
const lost = { count: 0 };

type Lost = { orgId: string; at: string; kind: "nightly" | "whole" | "range"; breaks: Break[] };

/**
 * Raises alarms that disappeared, of one organization or all, although a run found a break and none has ended it since:
 * the server clears an alarm only after storing such a run, so it was deleted from outside. One index probe per chain.
 * @throws the driver's error when the runs cannot be read
 */
export async function raiseLostAlarms(orgId?: string): Promise<void> {
  const open = new Set((await openAlarms({ kind: "system" })).map((alarm) => alarm.orgId));
  const broken = await asSystem((tx) =>
    rowsOf<Lost>(
      tx,
      sql`SELECT o.id AS "orgId", to_char(r.ran_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, r.kind, r.breaks
        FROM ${orgId ? layout().eachOf([orgId]) : layout().everyOne()} CROSS JOIN LATERAL (
          SELECT v.status, v.ran_at, v.kind, v.breaks ${DECIDING_RUN}) r
        WHERE r.status = 'broken'`,
    ),
  );
  for (const { orgId, at, kind, breaks } of broken)
    if (!open.has(orgId)) await raiseAlarm({ orgId, at, source: kind === "nightly" ? "nightly" : "on demand", breaks });
}

/**
 * Updates this process's metrics from the database, and raises the alarm of a chain that lost its head, or whose alarm
 * was deleted.
 */
export const alarmWatch = backgroundLoop("audit alarms", POLL_MS, async () => {
  gauge("trailmark_audit_lost_heads", "Organizations whose chain lost its head or its end", () => lost.count);
  await raiseLostAlarms();
  const known = await refreshAlarms(POLL_MS);
  const heads = await listLostHeads();
  lost.count = heads.length;
  await raiseHeadAlarms(heads.filter(({ orgId }) => !known.has(orgId)));
});
