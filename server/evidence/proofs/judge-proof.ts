import type { ChainRow } from "@/server/audit/row";
import { meetsQuorum, type Policy, parsePolicy, type Witness } from "@/server/evidence/tree/policy";
import {
  checkCosignature,
  checkSignature,
  ED25519,
  keyForOrigin,
  type NoteTools,
  parseVerifierKey,
  type SignedNote,
} from "@/server/evidence/tree/signed-note";
import { parseCheckpoint, restoredReasons, type TreeCheckpoint } from "@/server/evidence/tree/statement";
import type { Sha256 } from "@/server/evidence/tree/tree";
import { checkEntryProof, type EntryProof, isEntryProof, parseEntryProof, parsePayload } from "./entry-proof";

/**
 * Judge of entry proofs for the command line and browsers: validity, signers, cosigners and their times, and missing
 * parts.
 */

/** Trusted log keys and witnesses, and the required number of cosignatures. */
export type Trust = Policy;

/** A witness and when it saw the checkpoint, in seconds since 1970 UTC; null if its signature fails. */
type WitnessSeen = { name: string; seconds: number | null };

export type ProofVerdict =
  | { status: "unreadable"; reason: string }
  | {
      status: "intact" | "broken" | "unproven";
      /** Reasons that it is broken or not proven, one sentence each. */
      reasons: string[];
      /** The hashed row; null if the proof has nothing readable. */
      row: ChainRow | null;
      checkpoint: { origin: string; size: number; signedAt: string } | null;
      /** Names and ids of trusted keys with a valid signature. */
      signedBy: string[];
      cosignedBy: WitnessSeen[];
      /** Names and ids of signatures without a known key. */
      unchecked: string[];
    };
type Judged = Exclude<ProofVerdict, { status: "unreadable" }>;

const labelOf = ({ name, id }: { name: string; id: string }): string => `${name}+${id}`;

/**
 * Parses pasted trust: verifier keys of logs, one per line, or a policy file.
 * @returns the trust, or the fault in the text
 */
export function parseTrust(sha256: Sha256, text: string): Trust | { reason: string } {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  if (lines.length === 0) return { reason: "There is no key." };
  if (lines.some((line) => /^(log|witness|group|quorum)\s/.test(line))) {
    const policy = parsePolicy(sha256, text.replaceAll("\r\n", "\n"));
    if (!("reason" in policy)) return policy;
    return { reason: `The policy cannot be used${policy.line ? `, line ${policy.line}` : ""}: ${policy.reason}.` };
  }
  const logs = lines.map((line) => parseVerifierKey(sha256, line));
  const wrong = lines.find((_, i) => logs[i]?.type !== ED25519);
  if (wrong !== undefined)
    return {
      reason: `"${wrong}" is not a verifier key of a log (NAME+ID+BASE64), or its id is not the hash of its key.`,
    };
  return { logs: logs.filter((key) => key !== null), witnesses: [], quorum: null };
}

type Signatures = Pick<Judged, "signedBy" | "cosignedBy" | "unchecked"> & { broken: string[]; missing: string[] };

/** Trusted signers of a log's checkpoint. */
function judgeSignatures(
  tools: NoteTools,
  { note, origin }: { note: SignedNote; origin: string },
  trust: Trust,
): Signatures {
  const keys = trust.logs.map((key) => keyForOrigin(tools.sha256, key, origin)).filter((key) => key !== null);
  const checks = keys.map((key) => ({ key, check: checkSignature(tools, note, key) }));
  const signedBy = checks.filter(({ check }) => check === "good").map(({ key }) => labelOf(key));
  const broken = checks
    .filter(({ check }) => check === "bad")
    .map(({ key }) => `The signature under the name and id of ${labelOf(key)} does not hold.`);
  const seen = trust.witnesses
    .map((witness) => ({ witness, ...checkCosignature(tools, note, witness.key) }))
    .filter(({ check }) => check !== "absent");
  for (const { witness, check } of seen)
    if (check === "bad") broken.push(`The cosignature of witness ${witness.name} does not hold.`);
  const good: Witness[] = seen.filter(({ check }) => check === "good").map(({ witness }) => witness);
  const missing: string[] = [];
  if (trust.logs.length === 0) missing.push("No trusted key was given.");
  else if (keys.length === 0) missing.push(`No trusted key is for ${origin}.`);
  else if (signedBy.length === 0) missing.push("No trusted key signed the checkpoint.");
  if (!meetsQuorum(trust.quorum, good))
    missing.push("Fewer witnesses cosigned the checkpoint than the policy asks for.");
  const known = new Set([...keys, ...trust.witnesses.map(({ key }) => key)].map(labelOf));
  return {
    signedBy,
    cosignedBy: seen.map(({ witness, seconds }) => ({ name: witness.name, seconds })),
    unchecked: note.signatures.map(labelOf).filter((label) => !known.has(label)),
    broken,
    missing,
  };
}

/** After a restoration, another entry may have been signed at this index before. */
function lostReasons(row: ChainRow | null, checkpoint: TreeCheckpoint | null): string[] {
  const seq = Number(row?.chainSeq);
  return row && checkpoint ? restoredReasons(checkpoint.restored ?? [], { first: seq, last: seq }) : [];
}

function judgeParsed(tools: NoteTools, proof: EntryProof, trust: Trust): Judged {
  const found = checkEntryProof(tools, proof);
  const checkpoint = parseCheckpoint(proof.checkpoint.text);
  const note = proof.checkpoint;
  const signatures = checkpoint ? judgeSignatures(tools, { note, origin: checkpoint.origin }, trust) : null;
  const broken = [...("reason" in found ? [found.reason] : []), ...(signatures?.broken ?? [])];
  const row = parsePayload(proof.payload);
  const missing = [...(signatures?.missing ?? []), ...lostReasons(row, checkpoint)];
  return {
    status: broken.length > 0 ? "broken" : missing.length > 0 ? "unproven" : "intact",
    reasons: [...broken, ...missing],
    row,
    checkpoint: checkpoint && { origin: checkpoint.origin, size: checkpoint.size, signedAt: checkpoint.signedAt },
    signedBy: signatures?.signedBy ?? [],
    cosignedBy: signatures?.cosignedBy ?? [],
    unchecked: signatures?.unchecked ?? [],
  };
}

/** Judges the text of a .tlog-proof file. Unreadable only if even the first line is wrong. */
export function judgeProof(tools: NoteTools, text: string, trust: Trust): ProofVerdict {
  if (!isEntryProof(text)) return { status: "unreadable", reason: "This is not the proof of an entry." };
  const proof = parseEntryProof(text);
  if (proof) return judgeParsed(tools, proof, trust);
  return {
    status: "broken",
    reasons: ["The proof is torn or was changed: it is not of the form that it names."],
    row: null,
    checkpoint: null,
    signedBy: [],
    cosignedBy: [],
    unchecked: [],
  };
}
