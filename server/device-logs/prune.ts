import { eq, lte, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { deviceLogPolicies, organizations } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { systemCtx } from "@/server/context";
import { log } from "@/server/log";
import { cutoffOf, TABLES } from "./measure";

/** One transaction of a run: short, so that agents' inserts beside it do not wait. */
const BATCH_ROWS = 5_000;

type Kind = keyof typeof TABLES;
export type PrunedLogs = { orgId: string; diagnostic: number; events: number };

/**
 * Removes up to a batch of the oldest rows, none that came within the last day: what an agent delivers late is seen. -1 while another process is at it.
 */
async function pruneBatch(tx: Tx, kind: Kind, { orgId, cutoff }: { orgId: string; cutoff: Date }): Promise<number> {
  const table = TABLES[kind];
  const [lock] = await rowsOf<{ got: boolean }>(
    tx,
    sql`SELECT pg_try_advisory_xact_lock(hashtextextended('trailmark device logs ' || ${orgId}::text, 0)) AS got`,
  );
  if (!lock?.got) return -1;
  const gone = await rowsOf<{ n: number }>(
    tx,
    sql`WITH gone AS (
        DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ${table} WHERE org_id = ${orgId} AND "timestamp" < ${cutoff.toISOString()}::timestamptz
            AND created_at < now() - interval '1 day'
          ORDER BY "timestamp" LIMIT ${BATCH_ROWS}))
        RETURNING 1)
      SELECT count(*)::int AS n FROM gone`,
  );
  return gone[0]?.n ?? 0;
}

async function pruneKind(kind: Kind, place: { orgId: string; cutoff: Date }, signal?: AbortSignal): Promise<number> {
  for (let rows = 0; ; ) {
    if (signal?.aborted) return rows;
    const n = await asSystem((tx) => pruneBatch(tx, kind, place));
    if (n <= 0) return rows;
    rows += n;
    if (n < BATCH_ROWS) return rows;
  }
}

type Options = { signal?: AbortSignal; now?: Date; orgIds?: readonly string[] };

/**
 * Removes device logs that are past their organization's window, oldest first, in batches; never an audit entry. What
 * went is recorded in that organization's audit log. An organization that has notice still is left alone.
 */
export async function pruneDeviceLogs({ signal, now = new Date(), orgIds }: Options = {}): Promise<PrunedLogs[]> {
  const policies = await asSystem((tx) =>
    tx
      .select({ policy: deviceLogPolicies, name: organizations.name })
      .from(deviceLogPolicies)
      .innerJoin(organizations, eq(organizations.id, deviceLogPolicies.orgId))
      .where(lte(deviceLogPolicies.pruneFrom, now)),
  );
  const done: PrunedLogs[] = [];
  for (const { policy, name } of policies) {
    const { orgId, diagnosticDays, eventDays } = policy;
    if (orgIds && !orgIds.includes(orgId)) continue;
    if (signal?.aborted) break;
    try {
      const diagnostic = await pruneKind("diagnostic", { orgId, cutoff: cutoffOf(now, diagnosticDays) }, signal);
      const events = await pruneKind("events", { orgId, cutoff: cutoffOf(now, eventDays) }, signal);
      done.push({ orgId, diagnostic, events });
      if (diagnostic + events === 0) continue;
      await asSystem((tx) =>
        tx.update(deviceLogPolicies).set({ lastCleanupAt: now }).where(eq(deviceLogPolicies.orgId, orgId)),
      );
      record(systemCtx(), {
        action: "organization.device_logs.prune",
        orgId,
        resourceType: "organization",
        resourceId: orgId,
        resourceName: name,
        details: { diagnostic, events, diagnosticDays, eventDays },
      });
    } catch (error) {
      log.error({ err: error, orgId }, "an organization's device logs could not be pruned");
    }
  }
  return done;
}
