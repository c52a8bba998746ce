import type { Tx } from "@/db/client";
import { cosignedBy, meetsQuorum, type Policy } from "@/server/audit/tree/policy";
import { parseNote } from "@/server/audit/tree/signed-note";
import { witnessPolicy } from "@/server/audit/witnesses/policy-file";
import { noteTools } from "@/server/note-tools";
import { listCheckpoints, type StoredNote } from "./note-store";

/** A quorum that was missed is made good by the next checkpoints; further back than this none is looked for. */
const LOOKED_AT = 100;

/** Who cosigned a note, among the witnesses of the policy, and when each of them saw it. */
export function cosignersOf(note: string, policy = witnessPolicy()): { name: string; at: string }[] {
  const parsed = policy && parseNote(note);
  if (!parsed) return [];
  return cosignedBy(noteTools, policy, parsed).map(({ witness, seconds }) => ({
    name: witness.name,
    at: new Date(seconds * 1000).toISOString(),
  }));
}

/** Whether enough witnesses of the policy cosigned a note; true where none is asked for. */
function isWitnessed({ note }: StoredNote, policy: Policy | null): boolean {
  if (!policy?.quorum) return true;
  const parsed = parseNote(note);
  if (!parsed) return false;
  const signed = cosignedBy(noteTools, policy, parsed).map(({ witness }) => witness);
  return meetsQuorum(policy.quorum, signed);
}

/**
 * The checkpoint to give away for so many entries: the newest that covers them and meets the quorum, else the newest.
 * @returns null when none covers them
 */
export async function checkpointToShow(
  tx: Tx,
  orgId: string,
  size: number,
  policy = witnessPolicy(),
): Promise<StoredNote | null> {
  const covering = (await listCheckpoints(tx, orgId, policy?.quorum ? LOOKED_AT : 1)).filter(
    (note) => note.size >= size,
  );
  return covering.find((note) => isWitnessed(note, policy)) ?? covering[0] ?? null;
}
