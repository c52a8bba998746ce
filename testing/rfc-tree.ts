import { createHash } from "node:crypto";

/**
 * Root of a tree over checksums: an independent implementation of RFC 6962, splitting at the largest power of two below
 * the size.
 */
export function rfcRoot(leaves: readonly Buffer[]): Buffer {
  const digest = (...parts: Buffer[]) => createHash("sha256").update(Buffer.concat(parts)).digest();
  if (leaves.length === 0) return digest();
  const [only] = leaves;
  if (leaves.length === 1 && only) return digest(Buffer.from([0]), only);
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return digest(Buffer.from([1]), rfcRoot(leaves.slice(0, k)), rfcRoot(leaves.slice(k)));
}
