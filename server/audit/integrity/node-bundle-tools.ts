import { createHash, createPublicKey, hash, verify } from "node:crypto";
import type { BundleTools } from "./verify-bundle";

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** Node's own crypto for verifyBundle: the server and the command line. */
export const nodeBundleTools: BundleTools = {
  sha256: (text) => hash("sha256", text, "hex"),
  hash: (bytes) => createHash("sha256").update(bytes).digest(),
  byteLength: Buffer.byteLength,
  digest: () => {
    const sha = createHash("sha256");
    return { update: (text) => void sha.update(text, "utf8"), hex: () => sha.digest("hex") };
  },
  verifySignature: (publicKey, text, signature) => {
    try {
      const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" });
      return verify(null, Buffer.from(text), key, signature);
    } catch {
      return false; // a key that is no point, a signature of the wrong length
    }
  },
};
