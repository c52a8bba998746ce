import { isEntryProof, MAX_PROOF_CHARACTERS } from "@/server/evidence/proofs/entry-proof";

/** Enough of a file to recognize a proof. */
const START_BYTES = 64;

/** Decodes bytes without dropping a byte order mark, as Blob.text() would: a proof must not have one. */
const textOf = async (bytes: Blob): Promise<string> =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(await bytes.arrayBuffer());

/** Whether a file starts like a proof; the rest is not read. */
export const isProofFile = async (file: Blob): Promise<boolean> =>
  isEntryProof(await textOf(file.slice(0, START_BYTES)));

/** The text of a file; if it is too long for a proof, only enough of it to detect that. */
export const readProof = (file: Blob): Promise<string> => textOf(file.slice(0, MAX_PROOF_CHARACTERS + 1));
