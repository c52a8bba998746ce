import { createHash, hash } from "node:crypto";
import type { BundleTools } from "@/server/evidence/bundle/verify";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { HASH_BYTES } from "@/server/evidence/tree/tree";

/** The one-shot hash by way of a string of 32 characters: a Buffer for each would cost twice the hashing. */
function sha256(bytes: Uint8Array): Uint8Array {
  const characters = hash("sha256", bytes, "binary");
  const digest = new Uint8Array(HASH_BYTES);
  for (let i = 0; i < HASH_BYTES; i++) digest[i] = characters.charCodeAt(i);
  return digest;
}

/** Node's own crypto for verifyBundle: the server and the command line. */
export const nodeBundleTools: BundleTools = {
  ...noteTools,
  sha256,
  digest: () => {
    const sha = createHash("sha256");
    return { update: (bytes) => void sha.update(bytes), bytes: () => sha.digest() };
  },
};
