import { createHash, hash } from "node:crypto";
import type { BundleTools } from "@/server/evidence/bundle/verify";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { HASH_BYTES } from "@/server/evidence/tree/tree";

/** One-shot hash through a 32-character string: a Buffer would cost twice as much as the hashing. */
function sha256(bytes: Uint8Array): Uint8Array {
  const characters = hash("sha256", bytes, "binary");
  const digest = new Uint8Array(HASH_BYTES);
  for (let i = 0; i < HASH_BYTES; i++) digest[i] = characters.charCodeAt(i);
  return digest;
}

/** Node's crypto for verifyBundle: server and command line. */
export const nodeBundleTools: BundleTools = {
  ...noteTools,
  sha256,
  digest: () => {
    const sha = createHash("sha256");
    return { update: (bytes) => void sha.update(bytes), bytes: () => sha.digest() };
  },
};
