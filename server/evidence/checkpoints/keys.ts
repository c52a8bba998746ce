import { ownKeysNamed } from "@/server/evidence/chain/own-note";
import { signerName, signingKeys } from "@/server/evidence/chain/signing-key";
import { formatNote, type VerifierKey } from "@/server/evidence/tree/signed-note";
import { originOf } from "@/server/evidence/tree/statement";

/** The origin of an organization's log: the first line of its checkpoints and the name in their signatures. */
export const originOfOrg = (orgId: string): string => originOf(signerName(), orgId);

/** This installation's verifier keys, newest first; with an organization, as they are named in its notes. */
export const ownKeys = (orgId?: string): VerifierKey[] => ownKeysNamed(orgId ? originOfOrg(orgId) : signerName());

/** A checkpoint, receipt or seal as a note, signed by each of our keys under the origin that its text names. */
export function signStatement(origin: string, text: string): string {
  const signers = signingKeys();
  return formatNote(
    text,
    ownKeysNamed(origin).map(({ name, id }, at) => ({ name, id, bytes: signers[at]?.sign(text) ?? new Uint8Array() })),
  );
}
