import { parseNote } from "@/server/audit/tree/signed-note";
import {
  orgIdOf,
  type PruneReceipt,
  parseCheckpoint,
  parseReceipt,
  type TreeCheckpoint,
} from "@/server/audit/tree/statement";
import { isOwnNote } from "./keys";

/** A note of ours as it is kept: of a checkpoint, `size` is how many entries it covers; of a receipt, its `through`. */
export type StoredNote = {
  orgId: string;
  kind: "checkpoint" | "receipt";
  size: number;
  /** ISO 8601, from the signed text. */
  signedAt: string;
  note: string;
};

/**
 * A note as it may be kept, from its text alone; null when it is none, concerns another organization or no key of ours
 * signed it.
 */
export function readOwnNote(orgId: string, note: string): StoredNote | null {
  const text = parseNote(note)?.text;
  if (text === undefined) return null;
  const checkpoint = parseCheckpoint(text);
  const statement = checkpoint ?? parseReceipt(text);
  if (!statement || orgIdOf(statement.origin) !== orgId || !isOwnNote(note, statement.origin)) return null;
  const { signedAt } = statement;
  if (checkpoint) return { orgId, kind: "checkpoint", size: checkpoint.size, signedAt, note };
  return { orgId, kind: "receipt", size: "through" in statement ? statement.through : 0, signedAt, note };
}

/** What a kept checkpoint says. @throws RangeError for a note of another kind */
export function checkpointOf({ note }: Pick<StoredNote, "note">): TreeCheckpoint {
  const checkpoint = parseCheckpoint(parseNote(note)?.text ?? "");
  if (!checkpoint) throw new RangeError("the note is no checkpoint");
  return checkpoint;
}

/** What a kept receipt says. @throws RangeError for a note of another kind */
export function receiptOf({ note }: StoredNote): PruneReceipt {
  const receipt = parseReceipt(parseNote(note)?.text ?? "");
  if (!receipt) throw new RangeError("the note is no receipt");
  return receipt;
}
