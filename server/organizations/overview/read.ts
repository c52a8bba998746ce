import { layout } from "@/db/citus/layout";
import { type Tx, tenant } from "@/db/client";
import { witnessStateOf } from "@/server/evidence/checkpoints/witnessed";
import { type Alarm, openAlarms } from "@/server/evidence/integrity/alarm";
import { type KnownChain, readStates, statusOf } from "@/server/evidence/integrity/state";
import type { Ctx } from "@/server/ground/context";
import { DAY_MS } from "@/server/ground/time/durations";
import { rowBytes } from "@/server/retention/row-bytes";
import { isPruningEnabled } from "@/server/retention/schedule";
import { attentionOf } from "./attention";
import { type Chunk, inChunks } from "./chunks";
import { deviceCountsOf } from "./device-counts";
import { growthOf } from "./growth";
import { type LogFacts, logFactsOf } from "./log-facts";
import type { OrganizationOverview } from "./schema";

type OverviewInput = { now: Date; mayReadDevices: boolean; alarms: Alarm[]; bytesPerEntry: number };
type Devices = NonNullable<OrganizationOverview["devices"]>;
type Known = { facts: LogFacts; chain: KnownChain; devices: Devices | null };

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function chainOf(known: KnownChain): OrganizationOverview["chain"] {
  const { state, coverage } = known;
  const { lastFullAt, lastFullStatus, lastRanAt } = coverage;
  return {
    status: statusOf(known),
    throughSeq: state.throughSeq,
    entriesUnread: state.rowsUnread,
    reasons: state.reasons,
    lastFullCheck: lastFullAt && lastFullStatus ? { at: lastFullAt, status: lastFullStatus } : null,
    lastCheckedAt: lastRanAt,
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

function toOverview(known: Known, { now, bytesPerEntry }: OverviewInput): OrganizationOverview {
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
  };
  return { ...row, attention: attentionOf(row, { now: at, pruningEnabled: isPruningEnabled() }) };
}

async function readChunk(tx: Tx, scope: Chunk, asked: OverviewInput) {
  // The planner takes row level security for a condition that hardly any row meets: to find an organization's first entry
  // it would read and sort them all. The plan is for any organizations, so each connection makes it once.
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

/** What is known of some organizations within the caller's reach, in no order. */
export async function readOverviews(ctx: Ctx, orgIds: readonly string[]): Promise<OrganizationOverview[]> {
  const [alarms, bytesPerEntry] = await Promise.all([openAlarms(ctx.scope), tenant(ctx.scope, rowBytes)]);
  const asked = { now: ctx.now(), mayReadDevices: ctx.permissions.has("devices:read"), alarms, bytesPerEntry };
  return inChunks(ctx, orgIds, (tx, scope) => readChunk(tx, scope, asked));
}
