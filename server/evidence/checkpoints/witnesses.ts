import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type Break, breakOf } from "@/server/evidence/chain/verifier";
import { formatNote, parseNote } from "@/server/evidence/tree/signed-note";
import { consistencyProof } from "@/server/evidence/tree/tree";
import { cosign as askWitnesses, type Cosigning } from "@/server/evidence/witnesses/cosign";
import { witnessPolicy } from "@/server/evidence/witnesses/policy-file";
import { isKnownUnwitnessed, noteWitnessed } from "@/server/evidence/witnesses/witnessed-age";
import { originOfOrg } from "./keys";
import { fromTree } from "./nodes";
import { checkpointOf, type StoredNote } from "./stored-note";
import { quorumMissingSince } from "./witnessed";

/** A checkpoint as witnesses left it; a witness that holds another history is a break, for the alarm. */
export type Cosigned = { note: string; disputes: Break[] };

const proofFrom =
  ({ orgId, size }: StoredNote) =>
  (older: number): Promise<Uint8Array[]> =>
    asSystem((tx) => fromTree(tx, { orgId, size }, (tree) => consistencyProof(tree, older, size)));

async function headSeq(orgId: string): Promise<number> {
  const query = sql`SELECT seq::float8 AS seq FROM audit_chain_head(${orgId}::uuid)`;
  const [row] = await asSystem((tx) => rowsOf<{ seq: number }>(tx, query));
  return row?.seq ?? 0;
}

/**
 * A witness that is ahead of this checkpoint, but not of the chain, was asked by another process in between. One that saw
 * entries which a restoration says are lost refuses for good, and rightly: the checkpoint itself says why.
 */
async function breaksOf(stored: StoredNote, alarms: Cosigning["alarms"]): Promise<Break[]> {
  const { orgId, size } = stored;
  const restored = checkpointOf(stored).restored ?? [];
  const isAhead = alarms.some(({ knownSize }) => knownSize > size);
  const head = isAhead ? await headSeq(orgId) : size;
  return alarms
    .filter(({ knownSize }) => knownSize <= size || knownSize > head)
    .filter(({ knownSize }) => !restored.some(({ proven, lost }) => knownSize > proven && knownSize <= lost))
    .map(({ witness, knownSize, reason }) =>
      breakOf({
        seq: knownSize,
        kind: knownSize > size ? "truncated" : "altered",
        expected: `the log of ${knownSize} entries that the witness ${witness} cosigned`,
        actual: `another log of ${size} entries: ${reason}`,
      }),
    );
}

/**
 * Called for each new checkpoint, after it was written to the folder and before it is added to audit_notes, and again for
 * one that lacks witnesses.
 * @returns the note with the signatures of witnesses; unchanged where none of them signs, or none is asked for
 */
export async function cosign(stored: StoredNote, policy = witnessPolicy()): Promise<Cosigned> {
  const parsed = policy && parseNote(stored.note);
  if (!parsed) return { note: stored.note, disputes: [] };
  const checkpoint = { note: parsed, size: stored.size, proofFrom: proofFrom(stored) };
  const origin = originOfOrg(stored.orgId);
  const { signatures, alarms, isWitnessed } = await askWitnesses(origin, checkpoint, policy);
  const isNews = !isWitnessed && !isKnownUnwitnessed(origin);
  noteWitnessed(origin, isWitnessed, isNews ? await quorumMissingSince(stored, policy) : undefined);
  return {
    note: formatNote(parsed.text, [...parsed.signatures, ...signatures]),
    disputes: await breaksOf(stored, alarms),
  };
}
