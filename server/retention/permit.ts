import { asSystem } from "@/db/client";
import { UNDIVIDED } from "@/server/evidence/chain/runs/read-runs";
import type { Break } from "@/server/evidence/chain/verifier";
import { verifyChain } from "@/server/evidence/chain/verify";
import { newestReceipt } from "@/server/evidence/checkpoints/note-store";
import { signReceipt } from "@/server/evidence/checkpoints/receipts";
import type { StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { openAlarms, raiseAlarm } from "@/server/evidence/integrity/alarm";
import { raiseLostAlarms } from "@/server/evidence/integrity/alarm-watch";
import { checkTiles, compareLeaves, fullTilesThrough, type Slice } from "@/server/evidence/integrity/check-tiles";
import { signHead } from "@/server/evidence/integrity/checkpoints";
import { proveRow } from "@/server/evidence/integrity/judge";
import { readThroughByNight } from "@/server/evidence/integrity/verifications";
import { readWindow, type SealedWindow } from "@/server/evidence/integrity/window";
import { systemCtx } from "@/server/ground/context";
import { unexplainedBeginning } from "./beginning";
import { type Expired, findExpired } from "./expired";

/** Refuses to prune a chain that contradicts itself or a signature. */
class NotPermitted extends Error {}

type Refusal = { what?: string; from?: number };

async function refuse(orgId: string, breaks: Break[], { what, from }: Refusal = {}): Promise<never> {
  // Dated at the reading, not at the start of the run, so that an earlier reading cannot end the alarm.
  await raiseAlarm({ orgId, at: new Date().toISOString(), source: "retention", breaks });
  const place = `${what ?? "the rows to be removed are not intact"} (sequence ${breaks[0]?.seq}: ${breaks[0]?.kind})`;
  throw new NotPermitted(`${place}: nothing was removed${from === undefined ? "" : ` from sequence ${from} on`}`);
}

/**
 * Expired rows of a chain by the window in its own log.
 * @returns null without a policy or a chain
 * @throws NotPermitted after raising the alarm, where the policy of the database is another
 */
export async function expiredOf(orgId: string): Promise<{ window: SealedWindow; expired: Expired } | null> {
  const found = await asSystem((tx) => readWindow(tx, orgId));
  if (!found) return null;
  const { window, other } = found;
  if (other) await refuse(orgId, [other], { what: "the policy is not the one that the log says" });
  const expired = await asSystem((tx) => findExpired(tx, orgId, window.days));
  return expired && { window, expired };
}

/**
 * Refuses pruning during an alarm: the rows may be evidence, and the source of the alarm may be unable to raise it
 * again. An alarm deleted from outside is raised again first.
 * @throws NotPermitted while an alarm is open on the log
 */
export async function refuseAlarmed(orgId: string): Promise<void> {
  await raiseLostAlarms(orgId);
  const [alarm] = await openAlarms({ kind: "organization", orgIds: [orgId], partnerId: "" });
  if (alarm) throw new NotPermitted(`an alarm is open on this log since ${alarm.at}: nothing is removed while it is`);
}

/** Rows that a run may remove, and the facts that each slice is compared with. */
export type Permit = {
  orgId: string;
  window: SealedWindow;
  expired: Expired;
  note: StoredNote;
  /** Last entry whose contents the last night proved, below full tiles. */
  provenThrough: number;
};

/** Signs the checkpoint with which the rows are compared. */
async function signOver(orgId: string, { lastSeq }: Expired): Promise<StoredNote> {
  const signed = await signHead(orgId);
  if (!signed || signed.note.size < lastSeq)
    throw new NotPermitted("no checkpoint could be signed over the rows to be removed: nothing was removed");
  // Entries disputed by a witness may be among those to remove. The signing has raised the alarm.
  if (signed.disputes.length > 0) throw new NotPermitted("a witness disputes this log: nothing was removed");
  return signed.note;
}

/**
 * Before a run removes anything, proves all but the rows: the tree, the window in the log, and the receipt for earlier
 * rows. proveSlice() proves the rows.
 * @returns null when nothing has expired
 * @throws NotPermitted after raising the alarm, when any of it is not intact or the policy is another than the log's
 */
export async function permitPruning(orgId: string): Promise<Permit | null> {
  const found = await expiredOf(orgId);
  if (!found || found.expired.lastSeq < found.expired.firstSeq) return null;
  const { window, expired } = found;
  const note = await signOver(orgId, expired);
  await refuseAlarmed(orgId);
  const forged = window.entry && (await proveRow(window.entry, note));
  if (forged) await refuse(orgId, [forged], { what: "the entry that set the window is not intact" });
  // A receipt over these rows would explain any missing rows before them. The signing creates one for logs pruned
  // before receipts existed.
  const unexplained = await unexplainedBeginning(orgId, expired.firstSeq - 1);
  if (unexplained) await refuse(orgId, [unexplained]);
  const provenThrough = Math.min(await readThroughByNight(orgId), fullTilesThrough(note.size));
  const tree = provenThrough > 0 ? await checkTiles(note, null) : [];
  if (tree.length > 0) await refuse(orgId, tree);
  return { orgId, window, expired, note, provenThrough };
}

/**
 * Proves the next slice. Rows whose contents the last night hashed are compared with the tree by checksum and link; the
 * rest, and any slice with a difference, is read and hashed at a pace that leaves writers half of the capacity.
 * @param first start of the slice, which has at most `rows` rows
 * @throws NotPermitted after raising the alarm, when the rows are not intact
 */
export async function proveSlice(permit: Permit, { first, rows }: { first: number; rows: number }): Promise<Slice> {
  const { orgId, note, provenThrough, expired } = permit;
  const last = Math.min(first + rows - 1, expired.lastSeq);
  const through = Math.min(last, provenThrough);
  const other = await compareLeaves(orgId, { first, last: through });
  if (!other && through === last) return { first, last };
  const fromSeq = other ? first : Math.max(first, through + 1);
  const { breaks, marked } = await verifyChain(systemCtx(), {
    orgId,
    fromSeq,
    toSeq: last,
    mark: last,
    division: UNDIVIDED,
  });
  if (breaks.length > 0) await refuse(orgId, breaks, { from: first });
  const contradiction = other ?? (marked && (await proveRow(marked, note)));
  if (contradiction || !marked) await refuse(orgId, contradiction ? [contradiction] : [], { from: first });
  return { first, last };
}

/** Signs that retention may remove the proven rows up to a sequence, unless an interrupted run has signed it. */
export async function signThrough({ orgId, window, expired }: Permit, through: number): Promise<void> {
  const receipt = await asSystem((tx) => newestReceipt(tx, orgId));
  if (receipt && receipt.size >= through) return;
  const before = expired.cutoff.toISOString();
  const { days, policySeq } = window;
  await signReceipt(orgId, { through, before, days, policySeq, signedAt: new Date().toISOString() });
}
