import { sha256 } from "@noble/hashes/sha2.js";
import { browserNoteTools } from "@/components/proof/note-tools";
import type { BundleTools } from "@/server/evidence/bundle/verify";

/** Hashing and signature verification in the browser, for verifyBundle. */
export const browserBundleTools: BundleTools = {
  ...browserNoteTools,
  digest: () => {
    const sha = sha256.create();
    return { update: (bytes) => void sha.update(bytes), bytes: () => sha.digest() };
  },
};
