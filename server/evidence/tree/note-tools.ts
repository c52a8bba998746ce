import { createHash, createPublicKey, hash, verify } from "node:crypto";
import { HASH_BYTES } from "./tree";

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** SHA-256 by a binary string of 32 characters: a Buffer for each digest would double the cost. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const characters = hash("sha256", bytes, "binary");
  const digest = new Uint8Array(HASH_BYTES);
  for (let i = 0; i < HASH_BYTES; i++) digest[i] = characters.charCodeAt(i);
  return digest;
}

/** Node's hashing and Ed25519: server, witness and command line. */
export const noteTools = {
  sha256,
  digest: () => {
    const sha = createHash("sha256");
    return { update: (bytes: Uint8Array) => void sha.update(bytes), bytes: () => sha.digest() };
  },
  verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
    try {
      const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" });
      return verify(null, message, key, signature);
    } catch {
      return false; // An invalid key, or a signature of the wrong length.
    }
  },
};
