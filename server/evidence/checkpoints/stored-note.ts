import { isOwnNote } from "@/server/evidence/chain/own-note";
import { readOwnReceipt } from "@/server/evidence/chain/receipt";
import { parseNote } from "@/server/evidence/tree/signed-note";
import {
  orgIdOf,
  parseCheckpoint,
  parseRestored,
  type RestoredStatement,
  type TreeCheckpoint,
} from "@/server/evidence/tree/statement";

/**
 * Our note as it is kept: of a checkpoint, `size` is how many entries it covers; of a receipt, its `through`; of a
 * restoration, how many had been signed.
 */
export type StoredNote = {
  orgId: string;
  kind: "checkpoint" | "receipt" | "restored";
  size: number;
  /** ISO 8601, from the signed text. */
  signedAt: string;
  note: string;
};

/** Our checkpoints by their notes: the newest of each organization are read again and again. */
const known = new Map<string, { orgId: string; checkpoint: TreeCheckpoint }>();
const MAX_KNOWN = 5_000;

function remember(note: string, found: { orgId: string; checkpoint: TreeCheckpoint }): void {
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(note, found);
}

const toStored = (orgId: string, { size, signedAt }: TreeCheckpoint, note: string): StoredNote => ({
  orgId,
  kind: "checkpoint",
  size,
  signedAt,
  note,
});

/**
 * A note as it may be kept, from its text alone; null when it is none, concerns another organization or none of our keys
 * signed it.
 */
export function readOwnNote(orgId: string, note: string): StoredNote | null {
  const seen = known.get(note);
  if (seen?.orgId === orgId) return toStored(orgId, seen.checkpoint, note);
  const checkpoint = parseCheckpoint(parseNote(note)?.text ?? "");
  if (checkpoint) {
    if (orgIdOf(checkpoint.origin) !== orgId || !isOwnNote(note, checkpoint.origin)) return null;
    remember(note, { orgId, checkpoint });
    return toStored(orgId, checkpoint, note);
  }
  const restored = readOwnRestored(orgId, note);
  if (restored) return { orgId, kind: "restored", size: restored.lost, signedAt: restored.at, note };
  const receipt = readOwnReceipt(orgId, note);
  return receipt && { orgId, kind: "receipt", size: receipt.through, signedAt: receipt.signedAt, note };
}

/** What a note of a restoration says, if one of our keys signed it for this organization; else null. */
export function readOwnRestored(orgId: string, note: string): RestoredStatement | null {
  const restored = parseRestored(parseNote(note)?.text ?? "");
  return restored && orgIdOf(restored.origin) === orgId && isOwnNote(note, restored.origin) ? restored : null;
}

/** What a kept checkpoint says. @throws RangeError for a note of another kind */
export function checkpointOf({ note }: Pick<StoredNote, "note">): TreeCheckpoint {
  const checkpoint = known.get(note)?.checkpoint ?? parseCheckpoint(parseNote(note)?.text ?? "");
  if (!checkpoint) throw new RangeError("the note is no checkpoint");
  return checkpoint;
}
