import { createHash, createPublicKey, hash, type KeyObject, verify } from "node:crypto";
import type { BundleTools } from "@/server/audit/bundle/verify";

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const HASH_BYTES = 32;

/** The one-shot hash by way of a string of 32 characters: a Buffer for each would cost twice the hashing. */
function sha256(bytes: Uint8Array): Uint8Array {
  const characters = hash("sha256", bytes, "binary");
  const digest = new Uint8Array(HASH_BYTES);
  for (let i = 0; i < HASH_BYTES; i++) digest[i] = characters.charCodeAt(i);
  return digest;
}

/** Null for bytes that are no point of the curve. */
function keyOf(publicKey: Uint8Array): KeyObject | null {
  try {
    return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" });
  } catch {
    return null;
  }
}

/** Node's own crypto for verifyBundle: the server and the command line. */
export const nodeBundleTools: BundleTools = {
  sha256,
  digest: () => {
    const sha = createHash("sha256");
    return { update: (bytes) => void sha.update(bytes), bytes: () => sha.digest() };
  },
  verify: (publicKey, message, signature) => {
    const key = keyOf(publicKey);
    return key !== null && verify(null, message, key, signature);
  },
};
