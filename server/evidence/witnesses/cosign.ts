import { noteTools } from "@/server/evidence/tree/note-tools";
import { cosignedBy, meetsQuorum, type Policy, type Witness } from "@/server/evidence/tree/policy";
import type { NoteSignature } from "@/server/evidence/tree/signed-note";
import { log } from "@/server/ground/log";
import { askWitness, type Unwitnessed, type WitnessOutcome } from "./ask";
import { witnessPolicy } from "./policy-file";

/** What the witnesses made of one checkpoint. */
export type Cosigning = {
  /** The lines to append to the note, in the policy's order; none of those who had cosigned it before. */
  signatures: NoteSignature[];
  /** Each witness that holds another history, or a longer one. */
  alarms: { witness: string; knownSize: number; reason: string }[];
  /** Whether enough of them signed; true where no witness is asked for. */
  isWitnessed: boolean;
};

/** What each witness cosigned last of an origin, as far as this process knows; a wrong guess costs a second request. */
const known = new Map<string, number>();
/** Why a witness did not sign last time: each reason is logged once. */
const reasons = new Map<string, string>();

/** Witnesses that let the whole time limit pass: left alone for a minute, so that they delay one checkpoint in that time. */
const retryAt = new Map<string, number>();
const RETRY_AFTER_MS = 60_000;

type Reachable = Witness & { url: string };
const hasUrl = (witness: Witness): witness is Reachable => witness.url !== null;

function warnOnce(key: string, witness: Witness, outcome: Exclude<WitnessOutcome, { kind: "cosigned" }>): void {
  if (reasons.get(key) === outcome.reason) return;
  reasons.set(key, outcome.reason);
  log.warn({ witness: witness.name, outcome: outcome.kind, reason: outcome.reason }, "a witness did not cosign");
}

async function askOne(witness: Reachable, origin: string, checkpoint: Unwitnessed): Promise<WitnessOutcome> {
  const name = `${witness.key.id} ${witness.url}`;
  if ((retryAt.get(name) ?? 0) > Date.now())
    return { kind: "missing", reason: "it did not answer in time and is left alone for a minute" };
  const key = `${name} ${origin}`;
  const outcome = await askWitness(witness, checkpoint, { known: known.get(key) ?? 0 });
  if (outcome.kind === "missing" && outcome.isSlow) retryAt.set(name, Date.now() + RETRY_AFTER_MS);
  if (outcome.kind === "cosigned") {
    known.set(key, checkpoint.size);
    reasons.delete(key);
  } else warnOnce(key, witness, outcome);
  return outcome;
}

/**
 * Asks every witness of the policy that has not cosigned a checkpoint to do so, all at once; takes 5 s at most, once a minute,
 * whatever fails there, and never rejects. Without a policy it answers at once.
 * @param origin the log's origin, as in the note's first line
 */
export async function cosign(
  origin: string,
  checkpoint: Unwitnessed,
  policy: Policy | null = witnessPolicy(),
): Promise<Cosigning> {
  if (!policy) return { signatures: [], alarms: [], isWitnessed: true };
  const before = cosignedBy(noteTools, policy, checkpoint.note).map(({ witness }) => witness);
  const reachable = policy.witnesses.filter(hasUrl).filter((witness) => !before.includes(witness));
  const outcomes = await Promise.all(
    reachable.map(async (witness) => ({ witness, outcome: await askOne(witness, origin, checkpoint) })),
  );
  const signed = outcomes.filter(({ outcome }) => outcome.kind === "cosigned").map(({ witness }) => witness);
  const isWitnessed = meetsQuorum(policy.quorum, [...before, ...signed]);
  return {
    signatures: outcomes.flatMap(({ outcome }) => (outcome.kind === "cosigned" ? [outcome.signature] : [])),
    alarms: outcomes.flatMap(({ witness: { name }, outcome }) =>
      outcome.kind === "alarm" ? [{ witness: name, knownSize: outcome.knownSize, reason: outcome.reason }] : [],
    ),
    isWitnessed,
  };
}
