import { createHash } from "node:crypto";

/** An entry in a digest: sequence and checksum. */
export type Sealed = [seq: number, checksum: string];

/**
 * Digest of a batch: SHA-256, in hex, over the previous batch's digest (empty before the first) and a line "sequence
 * checksum" for each entry of its range in order, each ended by a line feed.
 */
export function batchDigest(previous: string | null, entries: readonly Sealed[]): string {
  const hash = createHash("sha256").update(`${previous ?? ""}\n`);
  for (const [seq, checksum] of entries) hash.update(`${seq} ${checksum}\n`);
  return hash.digest("hex");
}
