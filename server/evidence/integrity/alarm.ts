import { and, desc, eq, lt, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { asSystem, type Tx, tenant } from "@/db/client";
import { auditAlarms } from "@/db/schema";
import type { Break } from "@/server/evidence/chain/verifier";
import { gauge } from "@/server/ground/background/metrics";
import type { Scope } from "@/server/ground/context";
import { log } from "@/server/ground/log";
import { operation } from "@/server/ground/operation";
import { inScope } from "@/server/ground/scope";
import { noInput, typed } from "@/server/ground/wire";
import { LATEST } from "./coverage";
import type { AlarmSource } from "./schema";

/** A broken chain as reported by banner, metric and log; at: time of discovery. */
export type Alarm = { orgId: string; at: string; source: AlarmSource; breaks: Break[] };

/** Alarms found by this process, which count even if the database fails to store them. */
const alarms = new Map<string, Alarm>();

/** Alarms in the database, polled for the metric; other processes raise some. */
const stored = { count: 0 };

const registerGauge = () =>
  gauge("trailmark_audit_broken_chains", "Organizations whose audit chain was found broken", () =>
    Math.max(stored.count, alarms.size),
  );

/** True if an alarm reports more than a lost end or head. */
const saysMore = (breaks: SQLWrapper): SQL => sql`jsonb_path_exists(${breaks}, '$[*] ? (@.kind != "truncated")')`;

/** Whether the whole chain was read, which supersedes earlier findings. */
type Reading = { isWhole: boolean };

/** A reading of less than the whole chain that finds a lost head or end must not replace earlier findings. */
function keep({ orgId, at, source, breaks }: Alarm, { isWhole }: Reading): Promise<unknown> {
  const isLess = sql`${saysMore(auditAlarms.breaks)} AND NOT ${saysMore(sql`excluded.breaks`)}`;
  const values = { orgId, raisedAt: new Date(at), lastRaisedAt: new Date(at), source, breaks };
  return asSystem((tx) =>
    tx
      .insert(auditAlarms)
      .values(values)
      .onConflictDoUpdate({
        target: auditAlarms.orgId,
        set: {
          breaks: isWhole
            ? sql`excluded.breaks`
            : sql`CASE WHEN ${isLess} THEN ${auditAlarms.breaks} ELSE excluded.breaks END`,
          lastRaisedAt: sql`greatest(${auditAlarms.lastRaisedAt}, excluded.last_raised_at)`,
        },
      }),
  );
}

/**
 * Reports a broken chain: an error in the log, a metric, and every process's banner through openAlarms. An open alarm
 * keeps its first time and source. Never rejects.
 */
export async function raiseAlarm(alarm: Alarm, reading: Reading = { isWhole: false }): Promise<void> {
  alarms.set(alarm.orgId, alarm);
  log.error({ orgId: alarm.orgId, source: alarm.source, breaks: alarm.breaks.slice(0, 5) }, "AUDIT CHAIN BROKEN");
  registerGauge();
  await keep(alarm, reading).catch((error: unknown) => log.error({ err: error }, "an alarm could not be stored"));
}

/**
 * Clears the alarm after a clean verification of the whole chain, if it was last raised before that began. One raised
 * since, also by its own signing, stays with the later findings. Never rejects.
 */
export async function clearAlarm(orgId: string, began: Date): Promise<void> {
  const known = alarms.get(orgId);
  const isSince = known && Date.parse(known.at) >= began.getTime();
  if (!isSince) alarms.delete(orgId);
  // Dated by a fast clock, though no run with such a date exists.
  const isAhead = sql`${LATEST} BETWEEN ${began.toISOString()}::timestamptz AND ${auditAlarms.lastRaisedAt}`;
  const isOver = and(eq(auditAlarms.orgId, orgId), or(lt(auditAlarms.lastRaisedAt, began), isAhead));
  await asSystem(async (tx) => {
    await tx.delete(auditAlarms).where(isOver);
    if (!isSince) return;
    const isLatest = and(eq(auditAlarms.orgId, orgId), eq(auditAlarms.lastRaisedAt, new Date(known.at)));
    await tx.update(auditAlarms).set({ breaks: known.breaks }).where(isLatest);
  }).catch((error: unknown) => log.error({ err: error }, "an alarm could not be cleared"));
}

/** Open alarms of organizations in reach, newest first, from all processes. */
export const openAlarms = (scope: Scope): Promise<Alarm[]> => tenant(scope, (tx) => readAlarms(tx, scope));

/** Open alarm of a log; findings of this process since a moment count even if the database lacks them. */
export async function openAlarmOf(orgId: string, since: Date): Promise<Alarm | undefined> {
  const [stored] = await openAlarms({ kind: "organization", orgIds: [orgId], partnerId: "" });
  const own = alarms.get(orgId);
  return stored ?? (own && Date.parse(own.at) >= since.getTime() ? own : undefined);
}

/** Open alarms, read within an existing transaction. */
export async function readAlarms(tx: Tx, scope: Scope): Promise<Alarm[]> {
  const rows = await tx
    .select()
    .from(auditAlarms)
    .where(inScope(auditAlarms.orgId, scope))
    .orderBy(desc(auditAlarms.raisedAt));
  return rows.map(({ orgId, raisedAt, source, breaks }) => ({
    orgId,
    at: raisedAt.toISOString(),
    source,
    breaks,
  }));
}

/** Open alarms for the banner. */
export const listAlarms = operation({
  permission: "audit:read",
  input: noInput,
  output: typed<Alarm[]>(),
  run: ({ scope }) => openAlarms(scope),
});

/** Synchronizes this process with the database, after a restart or when another process cleared an alarm. */
export async function refreshAlarms(maxAgeMs: number): Promise<ReadonlySet<string>> {
  registerGauge();
  const found = await openAlarms({ kind: "system" });
  stored.count = found.length;
  const known = new Set(found.map((alarm) => alarm.orgId));
  // Cleared by another process, unless the database failed to store it.
  for (const [orgId, alarm] of alarms)
    if (!known.has(orgId) && Math.abs(Date.now() - Date.parse(alarm.at)) > maxAgeMs) alarms.delete(orgId);
  return known;
}
