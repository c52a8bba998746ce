import { eq, lte, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { deviceLogPolicies, organizations } from "@/db/schema";
import { messageOf } from "@/db/thrown";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { counter } from "@/server/ground/background/metrics";
import { systemCtx } from "@/server/ground/context";
import { log } from "@/server/ground/log";
import { countExpired, cutoffOf, isAheadAndExpired, isExpired, TABLES } from "./policy";
import type { Expired } from "./policy-schema";

/** Rows per transaction: short, so that agents' inserts do not wait. */
const BATCH_ROWS = 5_000;

const removed = counter("trailmark_device_logs_pruned_total", "Device logs that retention removed");

type Kind = keyof typeof TABLES;
/** Rows of one kind that a run may remove, by the policy at its start. */
type Range = { orgId: string; now: Date; days: number };
export type PrunedLogs = { orgId: string; diagnostic: number; events: number; error?: string };
type ExpiredLogs = { orgId: string; diagnostic: Expired; events: Expired };

/** Current retention in days; saving another policy waits for the end of this transaction. */
async function keptDays(tx: Tx, kind: Kind, orgId: string): Promise<number | null> {
  const days = { diagnostic: deviceLogPolicies.diagnosticDays, events: deviceLogPolicies.eventDays }[kind];
  const [policy] = await tx
    .select({ days })
    .from(deviceLogPolicies)
    .where(eq(deviceLogPolicies.orgId, orgId))
    .for("share");
  return policy?.days ?? null;
}

/**
 * Removes up to a batch of the oldest rows; -1 while another process does so. A policy saved since the start of the run
 * protects what it keeps; what it no longer keeps waits for the next run.
 */
async function pruneBatch(tx: Tx, kind: Kind, { orgId, now, days }: Range): Promise<number> {
  const table = TABLES[kind];
  const [lock] = await rowsOf<{ got: boolean }>(
    tx,
    sql`SELECT pg_try_advisory_xact_lock(hashtextextended('trailmark device logs ' || ${orgId}::text, 0)) AS got`,
  );
  if (!lock?.got) return -1;
  const kept = await keptDays(tx, kind, orgId);
  if (kept === null) return 0;
  const range = { orgId, cutoff: cutoffOf(now, Math.max(days, kept)) };
  const gone = await rowsOf<{ n: number }>(
    tx,
    sql`WITH gone AS (
        DELETE FROM ${table} WHERE org_id = ${orgId} AND ctid = ANY (ARRAY(
          (SELECT ctid FROM ${table} WHERE ${isExpired(range)} ORDER BY "timestamp" LIMIT ${BATCH_ROWS})
          UNION ALL
          (SELECT ctid FROM ${table} WHERE ${isAheadAndExpired(range)} ORDER BY "timestamp" LIMIT ${BATCH_ROWS})))
        RETURNING 1)
      SELECT count(*)::int AS n FROM gone`,
  );
  return gone[0]?.n ?? 0;
}

/** Prunes batch by batch. @returns the rows of each batch, already committed. */
async function* pruneKind(kind: Kind, range: Range, signal?: AbortSignal): AsyncGenerator<number> {
  while (!signal?.aborted) {
    const n = await asSystem((tx) => pruneBatch(tx, kind, range));
    if (n > 0) {
      removed.inc(n);
      yield n;
    }
    if (n < BATCH_ROWS) return;
  }
}

type Run = { signal: AbortSignal | undefined; now: Date };
type Options = Partial<Run> & { orgIds?: readonly string[] };

/** Policies past their notice period, with organization names. */
async function duePolicies({ now, orgIds }: { now: Date; orgIds: readonly string[] | undefined }) {
  const due = await asSystem((tx) =>
    tx
      .select({ policy: deviceLogPolicies, name: organizations.name })
      .from(deviceLogPolicies)
      .innerJoin(organizations, eq(organizations.id, deviceLogPolicies.orgId))
      .where(lte(deviceLogPolicies.pruneFrom, now)),
  );
  return orgIds ? due.filter(({ policy }) => orgIds.includes(policy.orgId)) : due;
}

type Due = Awaited<ReturnType<typeof duePolicies>>[number];

/** Rows that pruneDeviceLogs() would remove now, counted up to a limit per organization. */
export async function expiredDeviceLogs({ now = new Date(), orgIds }: Options = {}): Promise<ExpiredLogs[]> {
  const found: ExpiredLogs[] = [];
  for (const { policy } of await duePolicies({ now, orgIds })) {
    const { orgId, diagnosticDays, eventDays } = policy;
    const count = (kind: Kind, days: number) =>
      asSystem((tx) => countExpired(tx, TABLES[kind], { orgId, cutoff: cutoffOf(now, days) }));
    found.push({
      orgId,
      diagnostic: await count("diagnostic", diagnosticDays),
      events: await count("events", eventDays),
    });
  }
  return found;
}

/** Counts removed rows in `done` and records them, even if the rest failed. */
async function pruneOrganization(done: PrunedLogs, { policy, name }: Due, { signal, now }: Run): Promise<void> {
  const { orgId, diagnosticDays, eventDays } = policy;
  const days = { diagnostic: diagnosticDays, events: eventDays };
  try {
    for (const kind of ["diagnostic", "events"] as const)
      for await (const rows of pruneKind(kind, { orgId, now, days: days[kind] }, signal)) done[kind] += rows;
  } finally {
    const { diagnostic, events } = done;
    if (diagnostic + events > 0) {
      record(systemCtx(), {
        action: "organization.device_logs.prune",
        orgId,
        ...resourceOf("organization", { id: orgId, name }),
        details: { diagnostic, events, diagnosticDays, eventDays },
      });
      await asSystem((tx) =>
        tx.update(deviceLogPolicies).set({ lastCleanupAt: now }).where(eq(deviceLogPolicies.orgId, orgId)),
      );
    }
  }
}

/**
 * Removes device logs past their organization's retention window, oldest first, in batches; never audit entries.
 * Recorded in the organization's audit log. Organizations in their notice period are skipped. A failure is logged and
 * returned, and other organizations continue.
 */
export async function pruneDeviceLogs({ signal, now = new Date(), orgIds }: Options = {}): Promise<PrunedLogs[]> {
  const pruned: PrunedLogs[] = [];
  for (const due of await duePolicies({ now, orgIds })) {
    const { orgId } = due.policy;
    if (signal?.aborted) break;
    const done: PrunedLogs = { orgId, diagnostic: 0, events: 0 };
    pruned.push(done);
    try {
      await pruneOrganization(done, due, { signal, now });
    } catch (error) {
      log.error({ err: error, orgId }, "an organization's device logs could not be pruned");
      done.error = messageOf(error);
    }
  }
  return pruned;
}
