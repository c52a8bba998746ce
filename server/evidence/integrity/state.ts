import { sql } from "drizzle-orm";
import { asSystem, type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { newestCheckpoint, newestCheckpoints, type StoredNote } from "@/server/evidence/checkpoints/note-store";
import { checkpointOf } from "@/server/evidence/checkpoints/stored-note";
import { TILE_WIDTH } from "@/server/evidence/checkpoints/tiles";
import { restoredReasons } from "@/server/evidence/tree/statement";
import type { Scope } from "@/server/ground/context";
import { type Alarm, openAlarms } from "./alarm";
import { type Coverage, coverageOf, NOTHING, READ_WITHIN_DAYS } from "./coverage";
import type { ChainState } from "./schema";

const rowsWord = new Intl.NumberFormat("en-GB");
const NOT_READ = "No verification has read it yet.";

/**
 * Progress of an organization's tree before its first checkpoint: a chain older than trees is read whole in the
 * background.
 * @returns a fraction from 0 to 1, or null once there is a checkpoint
 */
function treeProgress(orgId: string): Promise<number | null> {
  return asSystem(async (tx) => {
    if (await newestCheckpoint(tx, orgId)) return null;
    const [[head], [built]] = await Promise.all([
      rowsOf<{ seq: number }>(tx, sql`SELECT seq::float8 AS seq FROM audit_chain_head(${orgId}::uuid)`),
      rowsOf<{ tiles: number }>(
        tx,
        sql`SELECT (idx + 1)::float8 AS tiles FROM audit_tree_tiles
          WHERE org_id = ${orgId} AND level = 0 ORDER BY idx DESC LIMIT 1`,
      ),
    ]);
    return head ? Math.min(1, ((built?.tiles ?? 0) * TILE_WIDTH) / head.seq) : 0;
  });
}

/** Reason that the chain is not read yet. */
async function unreadReason(orgId: string): Promise<string> {
  const built = await treeProgress(orgId);
  return built === null ? NOT_READ : `The tree over it is being built, ${Math.floor(built * 100)} %.`;
}

const tooOld = (rows: number): string =>
  `${rowsWord.format(rows)} entries have not been read within the last ${READ_WITHIN_DAYS} days.`;

/** Restorations stated in the newest checkpoint: they apply whatever part was read last. */
const lossesOf = (newest: StoredNote | null): string[] =>
  newest ? restoredReasons(checkpointOf(newest).restored ?? [], "whole") : [];

function stateOf(coverage: Coverage, newest: StoredNote | null, isRead: boolean): ChainState {
  const { retained, through, unread, lastReasons } = coverage;
  if (retained === 0) return { status: "empty", throughSeq: null, rowsUnread: 0, reasons: [] };
  if (through === 0)
    return {
      status: "unproven",
      throughSeq: null,
      rowsUnread: retained,
      reasons: [isRead ? tooOld(retained) : NOT_READ],
    };
  const known = new Set([...lastReasons, ...lossesOf(newest)]);
  const reasons = [...(unread > 0 ? [tooOld(unread)] : []), ...known];
  return { status: reasons.length > 0 ? "unproven" : "intact", throughSeq: through, rowsUnread: unread, reasons };
}

const brokenOf = ({ unread }: Coverage): ChainState => ({
  status: "broken",
  throughSeq: null,
  rowsUnread: unread,
  reasons: [],
});

/**
 * Known state of a chain, its basis, and the newest checkpoint. isRead: a verification or signing has read some of it,
 * however long ago.
 */
export type KnownChain = { state: ChainState; coverage: Coverage; newest: StoredNote | null; isRead: boolean };

/** The state in one word; a chain never read has no verdict. */
export const statusOf = ({ state, isRead }: Pick<KnownChain, "state" | "isRead">) =>
  state.status === "unproven" && !isRead ? "not_checked" : state.status;

/** States of whole chains of some organizations, without reading them. */
export async function readStates(
  tx: Tx,
  orgIds: readonly string[],
  alarms: readonly Alarm[],
): Promise<Map<string, KnownChain>> {
  if (orgIds.length === 0) return new Map();
  const newest = await newestCheckpoints(tx, orgIds);
  const signedSizes = new Map(orgIds.map((orgId) => [orgId, newest.get(orgId)?.size ?? 0]));
  const broken = new Set(alarms.map((alarm) => alarm.orgId));
  const coverages = new Map((await coverageOf(tx, signedSizes)).map((coverage) => [coverage.orgId, coverage]));
  return new Map(
    orgIds.map((orgId) => {
      const coverage = coverages.get(orgId) ?? { orgId, ...NOTHING };
      const { lastRanAt } = coverage;
      const signed = newest.get(orgId) ?? null;
      const isRead = lastRanAt !== null || (signed?.size ?? 0) > 0;
      // An alarm that vanished without a clean run was not cleared by this server.
      const isBroken = broken.has(orgId) || coverage.isBroken;
      const state = isBroken ? brokenOf(coverage) : stateOf(coverage, signed, isRead);
      return [orgId, { state, coverage, newest: signed, isRead }];
    }),
  );
}

export async function readState(scope: Scope, orgId: string): Promise<{ state: ChainState; alarm: Alarm | null }> {
  const alarm = (await openAlarms(scope)).find((open) => open.orgId === orgId);
  const known = (await tenant(scope, (tx) => readStates(tx, [orgId], alarm ? [alarm] : []))).get(orgId);
  if (!known) throw new RangeError("a state was not read");
  const { state } = known;
  const isUnread = statusOf(known) === "not_checked";
  return { state: isUnread ? { ...state, reasons: [await unreadReason(orgId)] } : state, alarm: alarm ?? null };
}
