import { createHash, createPublicKey, verify } from "node:crypto";
import type { NoteTools } from "./signed-note";

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** Node's hashing and Ed25519 for signed notes: server, witness and command line. */
export const noteTools: NoteTools = {
  sha256: (bytes) => createHash("sha256").update(bytes).digest(),
  verify: (publicKey, message, signature) => {
    try {
      const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" });
      return verify(null, message, key, signature);
    } catch {
      return false; // An invalid key, or a signature of the wrong length.
    }
  },
};
