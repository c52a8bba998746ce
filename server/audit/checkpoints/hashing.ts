import * as crypto from "node:crypto";
import { emptyRoot, HASH_BYTES, leafHash, nodeHash, type Sha256 } from "@/server/audit/tree/tree";

/** Node's SHA-256; the one-shot hash (Node 20.12 and later) does nearly twice the small inputs a second. */
export const sha256: Sha256 =
  typeof crypto.hash === "function"
    ? (bytes) => crypto.hash("sha256", bytes, "buffer")
    : (bytes) => crypto.createHash("sha256").update(bytes).digest();

export const EMPTY_ROOT = emptyRoot(sha256);

/** The leaf of a row, from its checksum in hexadecimal. */
export const leafOf = (checksum: string): Uint8Array => leafHash(sha256, Buffer.from(checksum, "hex"));

const zeros: Uint8Array[] = [leafHash(sha256, new Uint8Array(HASH_BYTES))];

/** The root of 2^height leaves of rows that were pruned before there was a tree: 32 zero bytes each. */
export function zeroHash(height: number): Uint8Array {
  for (let at = zeros.length; at <= height; at++) {
    const below = zeros[at - 1] as Uint8Array;
    zeros.push(nodeHash(sha256, below, below));
  }
  return zeros[height] as Uint8Array;
}

/** The root over a power of two of neighbouring hashes. */
export function foldPerfect(hashes: readonly Uint8Array[]): Uint8Array {
  let row = hashes;
  while (row.length > 1) {
    const above: Uint8Array[] = [];
    for (let at = 0; at < row.length; at += 2)
      above.push(nodeHash(sha256, row[at] as Uint8Array, row[at + 1] as Uint8Array));
    row = above;
  }
  return row[0] as Uint8Array;
}
