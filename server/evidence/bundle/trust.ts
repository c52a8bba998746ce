import type { Trust } from "@/server/evidence/proofs/judge-proof";
import { timeOfSeconds } from "@/server/evidence/tree/instant";
import { cosignedBy, meetsQuorum } from "@/server/evidence/tree/policy";
import {
  checkCosignature,
  checkSignature,
  formatVerifierKey,
  isSameKey,
  keyForOrigin,
  type NoteTools,
  type SignedNote,
  type VerifierKey,
} from "@/server/evidence/tree/signed-note";

export type { Trust };
/** No key is trusted. */
export const NO_TRUST: Trust = { logs: [], witnesses: [], quorum: null };

/** Who signed a note: keys that are trusted, keys that the evidence names itself, and a key whose line does not hold. */
export type Signers = { trusted: VerifierKey[]; named: VerifierKey[]; bad: VerifierKey | null };

/** Trust brought to one log: its keys under the names that they sign with there. */
export class LogTrust {
  readonly trusted: readonly VerifierKey[];
  readonly #named: readonly VerifierKey[];

  /** @param named keys that the evidence itself names; they prove nothing, but a bad signature of theirs contradicts */
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

  /** The trusted witnesses that cosigned a note, and whether they are as many as was asked; null where none was. */
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

/** Keys as people pass them on: as verifier keys in text (c2sp.org/signed-note). */
export const textsOf = (keys: readonly VerifierKey[]): string[] => keys.map(formatVerifierKey);
