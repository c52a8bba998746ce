import { isOwnNote, ownKeysNamed, readOwnReceipt } from "@/server/evidence/chain/note-signature";
import { signerName, signingKeys } from "@/server/evidence/chain/signing-key";
import { formatNote, parseNote, type VerifierKey } from "@/server/evidence/tree/signed-note";
import {
  orgIdOf,
  originOf,
  parseCheckpoint,
  parseRestored,
  type RestoredStatement,
  type TreeCheckpoint,
} from "@/server/evidence/tree/statement";

/** Origin of an organization's log: first line of its checkpoints and name in their signatures. */
export const originOfOrg = (orgId: string): string => originOf(signerName(), orgId);

/** Verifier keys of this installation, newest first; with an organization, as named in its notes. */
export const ownKeys = (orgId?: string): VerifierKey[] => ownKeysNamed(orgId ? originOfOrg(orgId) : signerName());

/** Signs a checkpoint, receipt or seal with each of our keys under the origin in its text. */
export function signStatement(origin: string, text: string): string {
  const signers = signingKeys();
  return formatNote(
    text,
    ownKeysNamed(origin).map(({ name, id }, at) => ({ name, id, bytes: signers[at]?.sign(text) ?? new Uint8Array() })),
  );
}

/**
 * A stored note of ours. `size`: entries covered by a checkpoint; `through` of a receipt; entries once signed, for a
 * restoration.
 */
export type StoredNote = {
  orgId: string;
  kind: "checkpoint" | "receipt" | "restored";
  size: number;
  /** ISO 8601, from the signed text. */
  signedAt: string;
  note: string;
};

/** Parsed checkpoints by note: the newest of each organization are read repeatedly. */
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

/** Parses a note; null if it is invalid, of another organization or not signed by our keys. */
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

/** Parses a restoration signed by one of our keys for this organization; else null. */
export function readOwnRestored(orgId: string, note: string): RestoredStatement | null {
  const restored = parseRestored(parseNote(note)?.text ?? "");
  return restored && orgIdOf(restored.origin) === orgId && isOwnNote(note, restored.origin) ? restored : null;
}

/** Parses a stored checkpoint. @throws RangeError for another kind of note */
export function checkpointOf({ note }: Pick<StoredNote, "note">): TreeCheckpoint {
  const checkpoint = known.get(note)?.checkpoint ?? parseCheckpoint(parseNote(note)?.text ?? "");
  if (!checkpoint) throw new RangeError("the note is no checkpoint");
  return checkpoint;
}
