import { readFileSync } from "node:fs";
import { ownKeysNamed } from "@/server/evidence/chain/note-signature";
import { signerName } from "@/server/evidence/chain/signing-key";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { type Member, type Policy, parsePolicy, type Witness } from "@/server/evidence/tree/policy";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { type EnvError, env, unusableVariable } from "@/server/ground/env";

/** Witnesses of this installation, from TRAILMARK_WITNESS_POLICY_FILE (c2sp.org/tlog-policy). */

const NAME = "TRAILMARK_WITNESS_POLICY_FILE";

function fault(file: string, line: number, reason: string): EnvError {
  const at = line > 0 ? `line ${line}: ` : "";
  return unusableVariable(NAME, `${file}: ${at}${reason}`);
}

/** A note holds 16 signatures, some of them for the log's own keys. */
const MAX_ASKED = 12;

const isWeb = (url: string): boolean => /^https?:$/.test(new URL(url).protocol);

/** @throws EnvError naming the file, the line and the fault */
export function readPolicyFile(file: string): Policy {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw fault(file, 0, "the file cannot be read");
  }
  const policy = parsePolicy(noteTools.sha256, text);
  if ("reason" in policy) throw fault(file, policy.line, policy.reason);
  const odd = policy.witnesses.find(({ url }) => url !== null && !isWeb(url));
  if (odd) throw fault(file, 0, `witness ${odd.name}: ${odd.url} is not an http or https address`);
  if (policy.witnesses.filter(({ url }) => url !== null).length > MAX_ASKED)
    throw fault(file, 0, `at most ${MAX_ASKED} witnesses with an address can be asked`);
  return policy;
}

/**
 * Policy of this installation; null without witnesses.
 * @throws EnvError when the file cannot be used; the server reads it once, at startup
 */
export function witnessPolicy(): Policy | null {
  const file = env().TRAILMARK_WITNESS_POLICY_FILE;
  loaded ??= { policy: file ? readPolicyFile(file) : null };
  return loaded.policy;
}
let loaded: { policy: Policy | null } | undefined;

const nameOf = (member: Member): string => (member.kind === "witness" ? member.witness.name : member.group.name);

/** Lines of the groups below a member, each after the groups it names. */
function groupLines(member: Member): string[] {
  if (member.kind === "witness") return [];
  const { name, threshold, members } = member.group;
  return [...members.flatMap(groupLines), `group ${name} ${threshold} ${members.map(nameOf).join(" ")}`];
}

// Without its address: auditors check a witness's key but never contact it.
const witnessLine = ({ name, key }: Witness): string => `witness ${name} ${formatVerifierKey(key)}`;

/**
 * Policy file for auditors: the keys that sign this installation's logs, and its witnesses.
 * @param logs verifier keys
 */
export function formatPolicy(logs: readonly string[], policy: Policy | null): string {
  const { witnesses = [], quorum = null } = policy ?? {};
  const lines = [
    ...logs.map((key) => `log ${key}`),
    ...witnesses.map(witnessLine),
    ...(quorum ? groupLines(quorum) : []),
    `quorum ${quorum ? nameOf(quorum) : "none"}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Policy for auditors: GET /.well-known/trailmark-log. */
export const publishedPolicy = (): string =>
  formatPolicy(ownKeysNamed(signerName()).map(formatVerifierKey), witnessPolicy());
