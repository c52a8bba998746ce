import { ed25519 } from "@noble/curves/ed25519";
import { sha256 } from "@noble/hashes/sha2";
import type { BundleTools } from "@/server/audit/bundle/verify";

/** A browser's own hashing and signatures for verifyBundle; audited code, and no network. */
export const browserBundleTools: BundleTools = {
  sha256,
  digest: () => {
    const sha = sha256.create();
    return { update: (bytes) => void sha.update(bytes), bytes: () => sha.digest() };
  },
  verify: (publicKey, message, signature) => {
    try {
      return ed25519.verify(signature, message, publicKey, { zip215: false });
    } catch {
      return false; // a signature of the wrong length, or a key that is no point
    }
  },
};
