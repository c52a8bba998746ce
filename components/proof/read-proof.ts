import { isEntryProof, MAX_PROOF_CHARACTERS } from "@/server/audit/proofs/entry-proof";

/** As much of a file as shows that it is the proof of an entry. */
const START_BYTES = 64;

/** Bytes as the judge reads them: a byte order mark is no part of a proof, and Blob.text() would hide it. */
const textOf = async (bytes: Blob): Promise<string> =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(await bytes.arrayBuffer());

/** Whether a file begins as a proof does; the rest of it is not read. */
export const isProofFile = async (file: Blob): Promise<boolean> =>
  isEntryProof(await textOf(file.slice(0, START_BYTES)));

/** The text of a file; of one that is too long for a proof, as much as shows that. */
export const readProof = (file: Blob): Promise<string> => textOf(file.slice(0, MAX_PROOF_CHARACTERS + 1));
