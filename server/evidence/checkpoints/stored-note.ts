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

/** The origin of an organization's log: the first line of its checkpoints and the name in their signatures. */
export const originOfOrg = (orgId: string): string => originOf(signerName(), orgId);

/** This installation's verifier keys, newest first; with an organization, as they are named in its notes. */
export const ownKeys = (orgId?: string): VerifierKey[] => ownKeysNamed(orgId ? originOfOrg(orgId) : signerName());

/** A checkpoint, receipt or seal as a note, signed by each of our keys under the origin that its text names. */
export function signStatement(origin: string, text: string): string {
  const signers = signingKeys();
  return formatNote(
    text,
    ownKeysNamed(origin).map(({ name, id }, at) => ({ name, id, bytes: signers[at]?.sign(text) ?? new Uint8Array() })),
  );
}

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
