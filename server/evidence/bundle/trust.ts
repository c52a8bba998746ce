import type { Trust } from "@/server/evidence/proofs/judge-proof";
import { cosignedBy, meetsQuorum } from "@/server/evidence/tree/policy";
import {
  checkCosignature,
  checkSignature,
  formatVerifierKey,
  fromBase64,
  isSameKey,
  keyForOrigin,
  type NoteTools,
  noteOf,
  type SignedNote,
  type VerifierKey,
} from "@/server/evidence/tree/signed-note";
import {
  isSuperseded,
  orgIdOf,
  parseCheckpoint,
  type TreeCheckpoint,
  timeOfSeconds,
} from "@/server/evidence/tree/statement";
import { emptyRoot, equalBytes, verifyConsistency } from "@/server/evidence/tree/tree";
import type { SinceLine } from "./format";

export type { Trust };
/** Trusts no key. */
export const NO_TRUST: Trust = { logs: [], witnesses: [], quorum: null };

/** Signers of a note: trusted keys, keys named by the evidence, and a key whose signature fails. */
export type Signers = { trusted: VerifierKey[]; named: VerifierKey[]; bad: VerifierKey | null };

/** Trust applied to one log: its keys under their names for that log. */
export class LogTrust {
  readonly trusted: readonly VerifierKey[];
  readonly #named: readonly VerifierKey[];

  /**
   * @param named keys named by the evidence itself; they prove nothing, but a bad signature of theirs is a
   * contradiction
   */
  constructor(
    private readonly tools: NoteTools,
    private readonly trust: Trust,
    { origin, named }: { origin: string; named: readonly VerifierKey[] },
  ) {
    const here = (key: VerifierKey) => keyForOrigin(tools.sha256, key, origin);
    this.trusted = trust.logs.map(here).filter((key) => key !== null);
    this.#named = named
      .map(here)
      .filter((key) => key !== null)
      .filter((key) => !this.trusted.some((other) => isSameKey(key, other)));
  }

  signersOf(note: SignedNote): Signers {
    const found: Signers = { trusted: [], named: [], bad: null };
    const check = (key: VerifierKey, into: VerifierKey[]) => {
      const signature = checkSignature(this.tools, note, key);
      if (signature === "good") into.push(key);
      if (signature === "bad") found.bad ??= key;
    };
    for (const key of this.trusted) check(key, found.trusted);
    for (const key of this.#named) check(key, found.named);
    for (const { key } of this.trust.witnesses)
      if (checkCosignature(this.tools, note, key).check === "bad") found.bad ??= key;
    return found;
  }

  /** Trusted witnesses that cosigned a note, and whether they meet the quorum; null without a quorum. */
  cosigned(note: SignedNote): { by: { name: string; at: string }[]; isMet: boolean | null } {
    const found = cosignedBy(this.tools, this.trust, note);
    const { quorum } = this.trust;
    return {
      by: found.map(({ witness, seconds }) => ({ name: witness.name, at: timeOfSeconds(seconds) })),
      isMet:
        quorum === null
          ? null
          : meetsQuorum(
              quorum,
              found.map(({ witness }) => witness),
            ),
    };
  }
}

/** Keys as verifier key text (c2sp.org/signed-note). */
export const textsOf = (keys: readonly VerifierKey[]): string[] => keys.map(formatVerifierKey);

/** Checks that the log of a bundle continues from a checkpoint that the reader kept. */

/** A kept checkpoint, and whether a trusted key signed it. */
export type KeptNote = Pick<TreeCheckpoint, "size" | "root" | "signedAt"> & {
  orgId: string;
  signature: "good" | "bad" | "absent";
};

const signatureOf = (checks: readonly ("good" | "bad" | "absent")[]) =>
  checks.includes("bad") ? "bad" : checks.includes("good") ? "good" : "absent";

/** Parses a kept note and checks its signature with the trusted keys; null if it is not a checkpoint. */
export function readKeptNote(tools: NoteTools, text: string, { logs: keys }: Trust): KeptNote | null {
  const note = noteOf(text);
  if (!note) return null;
  const checkpoint = parseCheckpoint(note.text);
  if (!checkpoint) return null;
  const { origin, size, root, signedAt } = checkpoint;
  const here = keys.map((key) => keyForOrigin(tools.sha256, key, origin)).filter((key) => key !== null);
  const signature = signatureOf(here.map((key) => checkSignature(tools, note, key)));
  return { orgId: orgIdOf(origin) ?? "", size, root, signedAt, signature };
}

/** Result for a kept note: contradicted, unproven (with a sentence), or continued. */
export type SinceFound = { kind: "broken" | "unproven" | "continued"; text: string };

const broken = (text: string): SinceFound => ({ kind: "broken", text });
const unproven = (text: string): SinceFound => ({ kind: "unproven", text });

const bytesOf = (hashes: readonly string[]): Uint8Array[] => hashes.map((hash) => fromBase64(hash) ?? new Uint8Array());
/** Compares the bundle's checkpoint with a kept note, using the proof in the bundle. */
export function checkSince(
  tools: NoteTools,
  kept: KeptNote,
  { line, checkpoint }: { line: SinceLine | null; checkpoint: TreeCheckpoint },
): SinceFound {
  if (kept.signature === "bad")
    return broken("the note given with --since has a trusted key's signature that does not hold");
  if (kept.signature === "absent") return unproven("No trusted key signed the note given with --since.");
  const { size, root } = kept;
  const hasShrunk = size > checkpoint.size && kept.signedAt <= checkpoint.signedAt;
  if (hasShrunk && !isSuperseded(kept, checkpoint.restored ?? []))
    return broken(`the log had ${size} entries before the bundle's checkpoint of size ${checkpoint.size} was signed`);
  if (size > checkpoint.size)
    return unproven(
      `The note given with --since is of size ${size}, newer than the bundle's checkpoint of size ${checkpoint.size}.`,
    );
  const proof = line && line.size === size ? bytesOf(line.hashes) : null;
  const isPlain = size === checkpoint.size || size === 0;
  if (!proof && !isPlain)
    return unproven(`The bundle holds no proof from size ${size}; download it with since=${size}.`);
  if (size === 0 && !equalBytes(root, emptyRoot(tools.sha256))) return broken(`the note of size 0 has another root`);
  const input = { older: size, size: checkpoint.size, olderRoot: root, root: checkpoint.root, proof: proof ?? [] };
  return verifyConsistency(tools.sha256, input)
    ? { kind: "continued", text: `The log goes on from the note of size ${size}, unchanged.` }
    : broken(`the log does not go on from the note of size ${size}: history was rewritten`);
}
