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

/** A chain that was found broken, as the banner, the metric and the log report it; at: when it was found, not asked. */
export type Alarm = { orgId: string; at: string; source: AlarmSource; breaks: Break[] };

/** What this process found itself: it counts even when the database does not keep it. */
const alarms = new Map<string, Alarm>();

/** How many alarms the database holds, polled for the metric; another process may have raised them. */
const stored = { count: 0 };

const registerGauge = () =>
  gauge("trailmark_audit_broken_chains", "Organizations whose audit chain was found broken", () =>
    Math.max(stored.count, alarms.size),
  );

/** Whether an alarm's breaks say more than that its end or head is lost. */
const saysMore = (breaks: SQLWrapper): SQL => sql`jsonb_path_exists(${breaks}, '$[*] ? (@.kind != "truncated")')`;

/** Whether the whole chain was read for it: then what was found before is over. */
type Reading = { isWhole: boolean };

/** Who has not read the whole chain, and finds its head or end lost, does not know that what was found before is over. */
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
 * Reports a broken chain: an error in the log, a metric, and every process's banner through openAlarms. An open
 * alarm keeps when and by what it was first raised. Never rejects.
 */
export async function raiseAlarm(alarm: Alarm, reading: Reading = { isWhole: false }): Promise<void> {
  alarms.set(alarm.orgId, alarm);
  log.error({ orgId: alarm.orgId, source: alarm.source, breaks: alarm.breaks.slice(0, 5) }, "AUDIT CHAIN BROKEN");
  registerGauge();
  await keep(alarm, reading).catch((error: unknown) => log.error({ err: error }, "an alarm could not be stored"));
}

/**
 * A verification of the whole chain found nothing: an alarm that was last raised before it began is over. One that was
 * raised since, again or by its own signing too, stays, with what was found since. Never rejects.
 */
export async function clearAlarm(orgId: string, began: Date): Promise<void> {
  const known = alarms.get(orgId);
  const isSince = known && Date.parse(known.at) >= began.getTime();
  if (!isSince) alarms.delete(orgId);
  // A clock that ran ahead raised it, but none by which this one read.
  const isAhead = sql`${LATEST} BETWEEN ${began.toISOString()}::timestamptz AND ${auditAlarms.lastRaisedAt}`;
  const isOver = and(eq(auditAlarms.orgId, orgId), or(lt(auditAlarms.lastRaisedAt, began), isAhead));
  await asSystem(async (tx) => {
    await tx.delete(auditAlarms).where(isOver);
    if (!isSince) return;
    const isLatest = and(eq(auditAlarms.orgId, orgId), eq(auditAlarms.lastRaisedAt, new Date(known.at)));
    await tx.update(auditAlarms).set({ breaks: known.breaks }).where(isLatest);
  }).catch((error: unknown) => log.error({ err: error }, "an alarm could not be cleared"));
}

/** The open alarms over the organizations within reach, newest first, whichever process raised them. */
export const openAlarms = (scope: Scope): Promise<Alarm[]> => tenant(scope, (tx) => readAlarms(tx, scope));

/** The open alarm of a log; what this process found since a moment counts though the database does not keep it. */
export async function openAlarmOf(orgId: string, since: Date): Promise<Alarm | undefined> {
  const [stored] = await openAlarms({ kind: "organization", orgIds: [orgId], partnerId: "" });
  const own = alarms.get(orgId);
  return stored ?? (own && Date.parse(own.at) >= since.getTime() ? own : undefined);
}

/** The same of a transaction that reads more. */
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

/** The same for the banner. */
export const listAlarms = operation({
  permission: "audit:read",
  input: noInput,
  output: typed<Alarm[]>(),
  run: ({ scope }) => openAlarms(scope),
});

/** Brings what this process knows to what the database holds, after a restart or when another process cleared one. */
export async function refreshAlarms(maxAgeMs: number): Promise<ReadonlySet<string>> {
  registerGauge();
  const found = await openAlarms({ kind: "system" });
  stored.count = found.length;
  const known = new Set(found.map((alarm) => alarm.orgId));
  // Cleared by another process, unless the database had not taken it.
  for (const [orgId, alarm] of alarms)
    if (!known.has(orgId) && Math.abs(Date.now() - Date.parse(alarm.at)) > maxAgeMs) alarms.delete(orgId);
  return known;
}
