import { hash } from "node:crypto";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { emptyRoot, HASH_BYTES, leafHash } from "@/server/evidence/tree/tree";

/** Hashing for trees of a million leaves: a loop copies a hash faster than a call. */

export const EMPTY_ROOT = emptyRoot(sha256);

/** Hash input for a leaf and for a node (RFC 6962), first byte set; reused, because no digest refers to it. */
const leafInput = Buffer.alloc(1 + HASH_BYTES, 0);
const nodeInput = new Uint8Array(1 + 2 * HASH_BYTES).fill(1);

function writeDigest(of: Uint8Array, into: Uint8Array, at: number): void {
  const digest = hash("sha256", of, "binary");
  for (let i = 0; i < HASH_BYTES; i++) into[at + i] = digest.charCodeAt(i);
}

/** Leaf of a row, from its checksum in hexadecimal. */
export function leafOf(checksum: string): Uint8Array {
  const leaf = new Uint8Array(HASH_BYTES);
  writeLeaf(checksum, leaf);
  return leaf;
}

/** Writes the leaf of a row at an offset. @param checksum in hexadecimal */
export function writeLeaf(checksum: string, into: Uint8Array, at = 0): void {
  const written = leafInput.write(checksum, 1, "hex");
  // Not 64 digits: the stored value is not a checksum, so its leaf covers the readable part.
  if (written === HASH_BYTES && checksum.length === 2 * HASH_BYTES) writeDigest(leafInput, into, at);
  else into.set(leafHash(sha256, Buffer.from(checksum, "hex")), at);
}

/** Root over a power of two of adjacent hashes. */
export function foldPerfect(hashes: Uint8Array): Uint8Array {
  const row = Uint8Array.from(hashes);
  for (let length = row.length; length > HASH_BYTES; length /= 2)
    for (let at = 0; at < length; at += 2 * HASH_BYTES) {
      for (let i = 0; i < 2 * HASH_BYTES; i++) nodeInput[1 + i] = row[at + i] ?? 0;
      writeDigest(nodeInput, row, at / 2);
    }
  return row.slice(0, HASH_BYTES);
}
