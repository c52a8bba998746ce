import { asSystem } from "@/db/client";
import { type Anchor, type Break, breakOf } from "@/server/evidence/chain/verifier";
import { leafOf, sha256 } from "@/server/evidence/checkpoints/hashing";
import { ownKeys } from "@/server/evidence/checkpoints/keys";
import { fromTree } from "@/server/evidence/checkpoints/nodes";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { checkpointOf, type StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { TreeDamage } from "@/server/evidence/checkpoints/tiles";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { inclusionProof, verifyInclusion } from "@/server/evidence/tree/tree";
import { log } from "@/server/ground/log";
import { raiseAlarm } from "./alarm";

/**
 * What our own key says of a chain at the moment of asking: a checkpoint over its head; that something disagrees, so that
 * none was signed, or a witness holds another log against it; or none, because the key or the disk could not be used.
 */
export type OwnNote =
  | { kind: "signed"; note: StoredNote; keys: string[] }
  | { kind: "refused"; breaks: Break[] }
  | { kind: "none"; reason: string };

/**
 * Signs the head of a chain, or says why it is not signed; what is found against it raises the alarm. Never rejects.
 * @param now what the checkpoint is dated
 */
export async function ownNote(orgId: string, now: Date): Promise<OwnNote> {
  try {
    const signing = await signCheckpoint(orgId, { now });
    if (signing.kind === "refused") return signing;
    const { note, warnings, disputes } = signing;
    const breaks = [...warnings, ...disputes];
    if (breaks.length > 0) await raiseAlarm({ orgId, at: new Date().toISOString(), source: "checkpoint", breaks });
    if (disputes.length > 0) return { kind: "refused", breaks: disputes };
    return { kind: "signed", note, keys: ownKeys(orgId).map(formatVerifierKey) };
  } catch (error) {
    log.error({ err: error, orgId }, "a chain could not be signed");
    return {
      kind: "none",
      reason: "No checkpoint could be signed: the signing key or the data folder cannot be used.",
    };
  }
}

const broken = ({ seq }: Anchor, { size }: StoredNote, actual: string): Break => {
  const expected = `the entry that the signed checkpoint of ${size} entries covers`;
  return breakOf({ seq, kind: "altered", expected, actual });
};

/**
 * Whether a row, and so every row that it links back to, is a leaf of the tree that a checkpoint names.
 * @returns null when it is, else where it is not
 */
export async function proveRow(row: Anchor, note: StoredNote): Promise<Break | null> {
  const { orgId, size } = note;
  const index = row.seq - 1;
  try {
    const path = await asSystem((tx) => fromTree(tx, { orgId, size }, (tree) => inclusionProof(tree, index, size)));
    const leaf = leafOf(row.checksum);
    const holds = verifyInclusion(sha256, { index, size, leaf, path, root: checkpointOf(note).root });
    return holds ? null : broken(row, note, "another one stands there");
  } catch (error) {
    if (!(error instanceof TreeDamage)) throw error;
    return broken(row, note, error.message);
  }
}
