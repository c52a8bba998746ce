import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToNumberLE, concatBytes } from "@noble/curves/utils.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import type { NoteTools } from "@/server/evidence/tree/signed-note";
import { equalBytes } from "@/server/evidence/tree/tree";

const { Point } = ed25519;
const HALF = 32;

/**
 * Ed25519 without cofactor (RFC 8032, 5.1.7: R = [S]B − [k]A, encoded), like OpenSSL. The library's own check
 * multiplies by eight, and would accept signatures that the other verifiers reject.
 * @throws Error if the key is not a valid point
 */
function isValidSignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 2 * HALF) return false;
  const r = signature.subarray(0, HALF);
  const s = bytesToNumberLE(signature.subarray(HALF));
  if (s >= Point.Fn.ORDER) return false;
  const k = bytesToNumberLE(sha512(concatBytes(r, publicKey, message))) % Point.Fn.ORDER;
  const key = Point.fromBytes(publicKey, false);
  return equalBytes(Point.BASE.multiplyUnsafe(s).subtract(key.multiplyUnsafe(k)).toBytes(), r);
}

/** Hashing and signature verification in the browser, from an audited library. */
export const browserNoteTools: NoteTools = {
  sha256,
  verify: (publicKey, message, signature) => {
    try {
      return isValidSignature(publicKey, message, signature);
    } catch {
      return false;
    }
  },
};
