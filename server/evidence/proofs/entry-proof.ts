import { type ChainRow, isNullable, PAYLOAD_FIELDS } from "@/server/audit/row";
import { canonicalPayload, PAYLOAD_VERSION } from "@/server/evidence/chain/chain";
import {
  formatNote,
  fromBase64,
  type NoteTools,
  noteOf,
  type SignedNote,
  toBase64,
} from "@/server/evidence/tree/signed-note";
import { orgIdOf, parseCheckpoint, type TreeCheckpoint } from "@/server/evidence/tree/statement";
import { HASH_BYTES, leafHash, MAX_PROOF_HASHES, verifyInclusion } from "@/server/evidence/tree/tree";

/**
 * Proof of one entry (c2sp.org/tlog-proof): the canonical payload, its index, the path to the root and the signed
 * checkpoint. The hashed text itself is readable, and no other entry is included.
 */

export type EntryProof = {
  /** The canonical payload in UTF-8. */
  payload: Uint8Array;
  /** The leaf: chainSeq − 1. */
  index: number;
  path: Uint8Array[];
  checkpoint: SignedNote;
};

/** Reason that a proof is invalid, for its reader. */
export type ProofFault = { reason: string };
export type ProvenEntry = { row: ChainRow; checkpoint: TreeCheckpoint };

const HEADER = "c2sp.org/tlog-proof@v1";
const INDEX = /^index (0|[1-9]\d{0,14})$/;
/** Proofs are some kilobytes; anything longer is not one. */
export const MAX_PROOF_CHARACTERS = 4 * 1024 * 1024;

/** A proof as the text of a .tlog-proof file. */
export function formatEntryProof({ payload, index, path, checkpoint }: EntryProof): string {
  const lines = [HEADER, `extra ${toBase64(payload)}`, `index ${index}`, ...path.map(toBase64)];
  return `${lines.join("\n")}\n\n${formatNote(checkpoint.text, checkpoint.signatures)}`;
}

/** True if a text starts like a proof; the rest may still be wrong. */
export const isEntryProof = (text: string): boolean => text === HEADER || text.startsWith(`${HEADER}\n`);

/** Parses a proof without checking it; null if it is malformed. */
export function parseEntryProof(text: string): EntryProof | null {
  // Invalid UTF-8 arrives as U+FFFD, which no proof contains: the entry is in base64.
  if (text.length > MAX_PROOF_CHARACTERS || text.includes("\ufffd")) return null;
  const split = text.indexOf("\n\n");
  const [header, extra, place, ...hashes] = text.slice(0, Math.max(split, 0)).split("\n");
  if (header !== HEADER || !extra?.startsWith("extra ") || hashes.length > MAX_PROOF_HASHES) return null;
  const payload = fromBase64(extra.slice("extra ".length));
  const index = INDEX.exec(place ?? "")?.[1];
  const path = hashes.map(fromBase64);
  const checkpoint = noteOf(text.slice(split + 2));
  if (!payload || index === undefined || !checkpoint) return null;
  if (!path.every((hash) => hash?.length === HASH_BYTES)) return null;
  return { payload, index: Number(index), path: path.filter((hash) => hash !== null), checkpoint };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** True if all members but free text are written as in a bundle row (docs/evidence.md). */
const isWellFormed = ({ prevChecksum, chainSeq, id, orgId, timestampMs }: ChainRow): boolean =>
  /^[1-9]\d{0,14}$/.test(String(chainSeq)) &&
  /^(0|-?[1-9]\d{0,14})$/.test(String(timestampMs)) &&
  UUID.test(id) &&
  UUID.test(orgId) &&
  (String(chainSeq) === "1" ? prevChecksum === null : /^[0-9a-f]{64}$/.test(prevChecksum ?? ""));

const strictUtf8 = () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Parses the row in a canonical payload; null unless it is byte for byte as canonicalPayload() writes it. */
export function parsePayload(bytes: Uint8Array): ChainRow | null {
  const start = bytes.indexOf(0x3b, PAYLOAD_VERSION.length + 1) + 1;
  if (start === 0) return null;
  try {
    const [version, lengths] = strictUtf8().decode(bytes.subarray(0, start)).split(";");
    const parts = lengths?.split(",") ?? [];
    if (version !== PAYLOAD_VERSION || parts.length !== PAYLOAD_FIELDS.length) return null;
    let at = start;
    const values = parts.map((length) => {
      if (length === "-") return null;
      const end = at + Number(length);
      if (!/^\d{1,9}$/.test(length) || end > bytes.length) throw new RangeError("a length beyond the payload");
      const value = strictUtf8().decode(bytes.subarray(at, end));
      at = end;
      return value;
    });
    if (PAYLOAD_FIELDS.some((field, i) => values[i] === null && !isNullable(field))) return null;
    const row = Object.fromEntries(PAYLOAD_FIELDS.map((field, i) => [field, values[i]])) as ChainRow;
    const written = canonicalPayload(row);
    const isSame = written.length === bytes.length && written.every((byte, i) => byte === bytes[i]);
    return isSame && isWellFormed(row) ? row : null;
  } catch {
    return null;
  }
}

/**
 * Checks that payload, index and path lead to the checkpoint's root. Signatures are checked separately (checkSignature,
 * checkCosignature).
 */
export function checkEntryProof(tools: Pick<NoteTools, "sha256">, proof: EntryProof): ProvenEntry | ProofFault {
  const checkpoint = parseCheckpoint(proof.checkpoint.text);
  if (!checkpoint) return { reason: "The proof holds no checkpoint of a Trailmark log." };
  const row = parsePayload(proof.payload);
  if (!row) return { reason: "The entry in the proof is not in the form that is hashed." };
  if (String(row.chainSeq) !== String(proof.index + 1))
    return { reason: `The entry says sequence ${row.chainSeq}, the proof speaks of sequence ${proof.index + 1}.` };
  if (row.orgId !== orgIdOf(checkpoint.origin))
    return { reason: "The entry belongs to another organization than the checkpoint." };
  const leaf = leafHash(tools.sha256, tools.sha256(proof.payload));
  const { size, root } = checkpoint;
  if (!verifyInclusion(tools.sha256, { index: proof.index, size, leaf, path: proof.path, root }))
    return { reason: "The entry is not part of the log that the checkpoint names." };
  return { row, checkpoint };
}
