import { type Tx, tenant } from "@/db/client";
import { newestCheckpoints, type StoredNote } from "@/server/evidence/checkpoints/note-store";
import { checkpointOf } from "@/server/evidence/checkpoints/stored-note";
import { restoredReasons } from "@/server/evidence/tree/statement";
import type { Scope } from "@/server/ground/context";
import { type Alarm, openAlarms } from "./alarm";
import { type Coverage, coverageOf, NOTHING, READ_WITHIN_DAYS } from "./coverage";
import type { ChainState } from "./schema";

const rowsWord = new Intl.NumberFormat("en-GB");
const NOT_READ = "No verification has read it yet.";

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
  return { state: known.state, alarm: alarm ?? null };
}
