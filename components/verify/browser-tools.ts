import { ed25519 } from "@noble/curves/ed25519";
import { sha256 } from "@noble/hashes/sha2";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils";
import { utf8Length } from "@/server/audit/chain/chain";
import type { BundleTools } from "@/server/audit/integrity/verify-bundle";

function isGood(publicKey: Uint8Array, text: string, signature: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, utf8ToBytes(text), publicKey, { zip215: false });
  } catch {
    return false; // a signature of the wrong length, or a key that is no point
  }
}

/** A browser's own hashing and signatures for verifyBundle; audited code, and no network. */
export const browserBundleTools: BundleTools = {
  sha256: (text) => bytesToHex(sha256(utf8ToBytes(text))),
  hash: sha256,
  byteLength: utf8Length,
  digest: () => {
    const sha = sha256.create();
    return { update: (text) => void sha.update(utf8ToBytes(text)), hex: () => bytesToHex(sha.digest()) };
  },
  verifySignature: isGood,
};
