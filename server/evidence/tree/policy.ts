import {
  COSIGNATURE,
  checkCosignature,
  ED25519,
  isSameKey,
  type NoteTools,
  parseVerifierKey,
  type SignedNote,
  type VerifierKey,
} from "./signed-note";
import type { Sha256 } from "./tree";

/**
 * Trust policy (c2sp.org/tlog-policy): accepted log keys and required witnesses. The same file configures the server's
 * witnesses and an auditor's trusted keys.
 */

export type Witness = { name: string; key: VerifierKey; url: string | null };
/** At least `threshold` of the members, each a witness or a group. */
type Group = { name: string; threshold: number; members: readonly Member[] };
export type Member = { kind: "witness"; witness: Witness } | { kind: "group"; group: Group };
export type Policy = { logs: VerifierKey[]; witnesses: Witness[]; quorum: Member | null };

/** Fault in a policy, with its line (from 1; 0 for the whole file). */
export type PolicyFault = { line: number; reason: string };

/** A witness's cosignature of a checkpoint; seconds since 1970 UTC. */
export type Cosigned = { witness: Witness; seconds: number };

const MAX_LINES = 1_000;
/** A fixed pattern, because URL libraries differ in what they accept. */
const WITNESS_URL = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?(\/\S*)?$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a policy must not hold
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;

class Fault extends Error {}

class PolicyReader {
  readonly logs: VerifierKey[] = [];
  readonly witnesses: Witness[] = [];
  readonly #names = new Map<string, Member>();
  readonly #members = new Set<string>();
  quorum: Member | null | undefined;

  constructor(private readonly sha256: Sha256) {}

  read([word, ...rest]: string[]): void {
    if (word === "log") this.#log(rest);
    else if (word === "witness") this.#witness(rest);
    else if (word === "group") this.#group(rest);
    else if (word === "quorum") this.#quorum(rest);
    else throw new Fault(`"${word}" is none of log, witness, group and quorum`);
  }

  #key(text: string | undefined, type: number): VerifierKey {
    const key = parseVerifierKey(this.sha256, text ?? "");
    if (!key) throw new Fault("the verifier key is malformed, or its id is not the hash of its key");
    if (key.type !== type) throw new Fault(`a key of type ${type} is needed here, this one is of type ${key.type}`);
    return key;
  }

  #log([vkey, , ...more]: string[]): void {
    if (more.length > 0) throw new Fault("log takes a verifier key and a URL at most");
    const key = this.#key(vkey, ED25519);
    if (this.logs.some((log) => isSameKey(log, key))) throw new Fault("this log stands here twice");
    this.logs.push(key);
  }

  #witness([name = "", vkey, url, ...more]: string[]): void {
    if (more.length > 0) throw new Fault("witness takes a name, a verifier key and a URL at most");
    const key = this.#key(vkey, COSIGNATURE);
    if (this.witnesses.some((witness) => isSameKey(witness.key, key)))
      throw new Fault("this witness stands here twice");
    if (url !== undefined && !(WITNESS_URL.test(url) && URL.canParse(url))) throw new Fault(`"${url}" is not a URL`);
    const witness = { name, key, url: url ?? null };
    this.#define(name, { kind: "witness", witness });
    this.witnesses.push(witness);
  }

  #define(name: string, member: Member): void {
    if (name === "none" || this.#names.has(name)) throw new Fault(`the name ${name} is taken`);
    this.#names.set(name, member);
  }

  #group([name = "", count = "", ...members]: string[]): void {
    if (members.length === 0) throw new Fault("group takes a name, all, any or a number, and its members");
    const threshold =
      count === "all" ? members.length : count === "any" ? 1 : /^[1-9]\d*$/.test(count) ? Number(count) : 0;
    if (threshold < 1 || threshold > members.length)
      throw new Fault(`a group of ${members.length} takes all, any or a number from 1 to ${members.length}`);
    const found = members.map((member) => {
      const known = this.#names.get(member);
      if (!known) throw new Fault(`${member} is not defined above`);
      if (this.#members.has(member)) throw new Fault(`${member} is a member of a group already`);
      this.#members.add(member);
      return known;
    });
    this.#define(name, { kind: "group", group: { name, threshold, members: found } });
  }

  #quorum([name = "", ...more]: string[]): void {
    if (this.quorum !== undefined) throw new Fault("there is more than one quorum");
    const known = this.#names.get(name);
    if (more.length > 0 || (name !== "none" && !known))
      throw new Fault("quorum takes one name that is defined above, or none");
    this.quorum = known ?? null;
  }
}

/** @returns the policy that a file holds, or the first fault in it */
export function parsePolicy(sha256: Sha256, text: string): Policy | PolicyFault {
  const lines = text.split("\n");
  if (lines.length > MAX_LINES) return { line: 0, reason: `a policy has at most ${MAX_LINES} lines` };
  const reader = new PolicyReader(sha256);
  for (const [i, line] of lines.entries()) {
    if (CONTROL.test(line)) return { line: i + 1, reason: "there is a control character in it" };
    const words = line.split(/[ \t]+/).filter(Boolean);
    if (words.length === 0 || words[0]?.startsWith("#")) continue;
    try {
      reader.read(words);
    } catch (error) {
      if (error instanceof Fault) return { line: i + 1, reason: error.message };
      throw error;
    }
  }
  const { logs, witnesses, quorum } = reader;
  if (quorum === undefined) return { line: 0, reason: "there is no quorum line; `quorum none` asks for no witness" };
  return { logs, witnesses, quorum };
}

/** True if the cosigners meet the quorum. */
export function meetsQuorum(quorum: Member | null, cosigned: readonly Witness[]): boolean {
  if (quorum === null) return true;
  if (quorum.kind === "witness") return cosigned.includes(quorum.witness);
  const { members, threshold } = quorum.group;
  return members.filter((member) => meetsQuorum(member, cosigned)).length >= threshold;
}

/** Witnesses of the policy with a valid cosignature of a note, each with its time. */
export function cosignedBy(tools: NoteTools, policy: Policy, note: SignedNote): Cosigned[] {
  return policy.witnesses.flatMap((witness) => {
    const { seconds } = checkCosignature(tools, note, witness.key);
    return seconds === null ? [] : [{ witness, seconds }];
  });
}
