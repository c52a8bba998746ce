import { eq, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { agents, devices } from "@/db/schema/index";
import { onlineCondition } from "@/server/devices/devices";
import { witnessStateOf } from "@/server/evidence/checkpoints/witnessed";
import { type Alarm, openAlarms } from "@/server/evidence/integrity/alarm";
import { type KnownChain, readStates, statusOf } from "@/server/evidence/integrity/state";
import type { Ctx, Scope } from "@/server/ground/context";
import { lastHeard } from "@/server/ground/last-heard";
import { inScope } from "@/server/ground/scope";
import { counted } from "@/server/ground/text";
import { DAY_MS, HOUR_MS } from "@/server/ground/time/durations";
import { type Leaving, readLeaving } from "@/server/notify/streams/leaving";
import { isPruningEnabled } from "@/server/retention/schedule";
import { type Chunk, inChunks } from "./chunks";
import { type LogFacts, logFactsOf } from "./log-facts";
import {
  type Attention,
  CHECKPOINT_LATE_MS,
  type OrganizationOverview,
  RETENTION_OVERDUE_MS,
  SILENT_AFTER_HOURS,
  USUAL_RETENTION_DAYS,
} from "./schema";

/** "40 min", "5 h", "3 days" */
function age(ms: number): string {
  if (ms < HOUR_MS) return `${Math.floor(ms / 60_000)} min`;
  if (ms < 48 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / (24 * HOUR_MS))} days`;
}

type AttentionInput = { now: number; pruningEnabled: boolean };

/** Reasons that an organization needs attention, worst first; empty if none is known. */
function attentionOf(
  facts: Omit<OrganizationOverview, "attention">,
  { now, pruningEnabled }: AttentionInput,
): Attention[] {
  const { chain, checkpoint, witness, retention } = facts;
  const found: Attention[] = [];
  const check = (isSo: boolean, code: Attention["code"], text: string) => isSo && found.push({ code, text });
  check(chain.status === "broken", "chain_broken", "Chain broken");
  check(chain.status === "unproven", "chain_unproven", "Chain not proven");
  check(chain.status === "not_checked", "chain_not_checked", "Chain not checked yet");
  const waited = checkpoint?.unsignedSince ? now - Date.parse(checkpoint.unsignedSince) : 0;
  check(waited > CHECKPOINT_LATE_MS, "checkpoint_late", `Entries without a checkpoint for ${age(waited)}`);
  check(witness.state === "missing", "witness_missing", "Checkpoint not witnessed");
  const { isDue, lastCleanupAt } = retention;
  const days = retention.configured ? retention.retentionDays : null;
  const isLate = isDue && lastCleanupAt !== null && now - Date.parse(lastCleanupAt) > RETENTION_OVERDUE_MS;
  check(days !== null && pruningEnabled && isLate, "retention_overdue", "Retention overdue");
  check(days === null, "retention_none", "No retention policy");
  check(
    days !== null && days < USUAL_RETENTION_DAYS,
    "retention_short",
    `Retention ${counted(days ?? 0, "day", "days")}`,
  );
  const silent = facts.devices?.silent ?? 0;
  check(silent > 0, "devices_silent", `${counted(silent, "device", "devices")} offline for 24 h`);
  return found;
}

/** Size of an entry with its indexes, for tables without statistics. */
const USUAL_ROW_BYTES = 900;

/** Average size of an audit entry on disk with indexes, over all organizations, from table statistics. */
async function rowBytes(tx: Tx): Promise<number> {
  const [row] = await rowsOf<{ bytes: number | null }>(
    tx,
    sql`SELECT (pg_total_relation_size(c.oid) / NULLIF(greatest(c.reltuples, 0), 0))::float8 AS bytes
      FROM pg_class c WHERE c.oid = 'audit_logs'::regclass`,
  );
  return Math.round(row?.bytes ?? USUAL_ROW_BYTES);
}

type Devices = NonNullable<OrganizationOverview["devices"]>;

/**
 * Devices of each organization by presence. Silent: its agent may report but was not heard for a day; a device never
 * heard counts from its enrollment.
 */
async function deviceCountsOf(tx: Tx, scope: Scope, now: Date): Promise<Map<string, Devices>> {
  const silentBefore = new Date(now.getTime() - SILENT_AFTER_HOURS * HOUR_MS).toISOString();
  const rows = await rowsOf<Devices & { orgId: string }>(
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

type Growth = OrganizationOverview["growth"]["month"];
type Facts = Pick<LogFacts, "head" | "createdAt" | "firstSize" | "firstSignedAt">;
/** Last checkpoint before the window, and the recording time of the first entry after it. */
type Base = { size: number | null; nextAt: number | null };

/**
 * Entries recorded since a time: those not covered by the last checkpoint before it. A younger organization counts from
 * its start, one with later checkpoints from the first of them; the time changes accordingly. Null without checkpoints.
 */
function growthOf({ head, createdAt, firstSize, firstSignedAt }: Facts, base: Base, from: number): Growth {
  const counted = (size: number, since: number): Growth => ({
    entries: Math.max(0, head - size),
    since: new Date(since).toISOString(),
  });
  // Without new checkpoints, entries waited for one: they are older than the window.
  if (base.size !== null) return counted(base.size, Math.min(from, base.nextAt ?? from));
  if (createdAt > from) return counted(0, createdAt);
  return firstSize !== null && firstSignedAt !== null ? counted(firstSize, firstSignedAt) : null;
}

type OverviewInput = {
  now: Date;
  mayReadDevices: boolean;
  alarms: Alarm[];
  bytesPerEntry: number;
  leaving: ReadonlyMap<string, Leaving[]>;
};
type Known = { facts: LogFacts; chain: KnownChain; devices: Devices | null };

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function chainOf(known: KnownChain): OrganizationOverview["chain"] {
  const { state, coverage } = known;
  const { lastFullAt, lastFullStatus, lastRanAt, lastRows } = coverage;
  return {
    status: statusOf(known),
    throughSeq: state.throughSeq,
    entriesUnread: state.rowsUnread,
    reasons: state.reasons,
    lastFullCheck: lastFullAt && lastFullStatus ? { at: lastFullAt, status: lastFullStatus } : null,
    lastCheckedAt: lastRanAt,
    lastCheckedEntries: lastRows,
  };
}

function checkpointOf({ facts, chain: { newest } }: Known): OrganizationOverview["checkpoint"] {
  if (!newest) return null;
  const unsigned = Math.max(0, facts.head - newest.size);
  const unsignedSince = unsigned > 0 ? iso(facts.unsignedSince) : null;
  return { seq: newest.size, signedAt: newest.signedAt, unsigned, unsignedSince };
}

function retentionOf({ retentionDays, lastCleanupAt, firstAgesFrom }: LogFacts, now: number) {
  const isDue = retentionDays !== null && firstAgesFrom !== null && firstAgesFrom < now - retentionDays * DAY_MS;
  return { configured: retentionDays !== null, retentionDays, lastCleanupAt: iso(lastCleanupAt), isDue };
}

function toOverview(known: Known, { now, bytesPerEntry, leaving }: OverviewInput): OrganizationOverview {
  const { facts, chain, devices } = known;
  const at = now.getTime();
  const entries = Math.max(0, facts.head - facts.pruned);
  const week = { size: facts.weekSize, nextAt: facts.weekAt };
  const month = { size: facts.monthSize, nextAt: facts.monthAt };
  const row = {
    orgId: facts.orgId,
    name: facts.name,
    isHome: facts.isHome,
    chain: chainOf(chain),
    checkpoint: checkpointOf(known),
    witness: chain.newest ? witnessStateOf(chain.newest.note) : { state: "no_checkpoint" as const, cosigners: [] },
    retention: retentionOf(facts, at),
    entries,
    bytes: entries * bytesPerEntry,
    oldestAt: iso(facts.oldestAt),
    growth: {
      week: growthOf(facts, week, at - 7 * DAY_MS),
      month: growthOf(facts, month, at - 30 * DAY_MS),
    },
    failures: facts.failures,
    denied: facts.denied,
    devices,
    leavesTo: leaving.get(facts.orgId) ?? [],
  };
  return { ...row, attention: attentionOf(row, { now: at, pruningEnabled: isPruningEnabled() }) };
}

async function readChunk(tx: Tx, scope: Chunk, asked: OverviewInput) {
  // The planner assumes that row-level security leaves hardly any rows, and would read and sort all to find the first
  // entry. The plan is generic, so each connection makes it once.
  const { byIndexOrder } = layout();
  if (byIndexOrder) await tx.execute(byIndexOrder);
  const at = asked.now.getTime();
  const since = {
    day: new Date(at - DAY_MS),
    week: new Date(at - 7 * DAY_MS),
    month: new Date(at - 30 * DAY_MS),
  };
  const states = await readStates(tx, scope.orgIds, asked.alarms);
  const signed = new Map(scope.orgIds.map((orgId) => [orgId, states.get(orgId)?.newest?.size ?? 0]));
  const facts = await logFactsOf(tx, signed, since);
  const counts = asked.mayReadDevices ? await deviceCountsOf(tx, scope, asked.now) : null;
  return facts.flatMap((one) => {
    const chain = states.get(one.orgId);
    const devices = counts && (counts.get(one.orgId) ?? { online: 0, offline: 0, silent: 0 });
    return chain ? [toOverview({ facts: one, chain, devices }, asked)] : [];
  });
}

/** Facts of organizations in the caller's reach, in no particular order. */
export async function readOverviews(ctx: Ctx, orgIds: readonly string[]): Promise<OrganizationOverview[]> {
  const [alarms, bytesPerEntry, leaving] = await Promise.all([
    openAlarms(ctx.scope),
    tenant(ctx.scope, rowBytes),
    readLeaving(ctx),
  ]);
  const mayReadDevices = ctx.permissions.has("devices:read");
  const asked = { now: ctx.now(), mayReadDevices, alarms, bytesPerEntry, leaving };
  return inChunks(ctx, orgIds, (tx, scope) => readChunk(tx, scope, asked));
}
