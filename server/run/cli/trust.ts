import { messageOf } from "@/db/thrown";
import type { Trust } from "@/server/evidence/proofs/judge-proof";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { parsePolicy } from "@/server/evidence/tree/policy";
import { ED25519, parseVerifierKey } from "@/server/evidence/tree/signed-note";
import { UsageError } from "./command";
import { readText } from "./read-bytes";

export const trustOptions = { key: { type: "string", multiple: true }, policy: { type: "string" } } as const;

/** Text of an option's file. @throws UsageError when it cannot be read */
export function readOption(option: string, file: string): string {
  try {
    return readText(file);
  } catch (error) {
    throw new UsageError(`${option}: ${file} cannot be read: ${messageOf(error)}.`);
  }
}

function readPolicy(file: string): Trust {
  const policy = parsePolicy(noteTools.sha256, readOption("--policy", file));
  if (!("reason" in policy)) return policy;
  throw new UsageError(`--policy: ${file}${policy.line ? `, line ${policy.line}` : ""}: ${policy.reason}.`);
}

const MAX_SHOWN = 60;

/** Start of an invalid verifier key: it may be a private key, and logs keep output. */
const startOf = (text: string): string => {
  const start = text.slice(0, MAX_SHOWN).split("\n", 1)[0] ?? "";
  return start.length < text.length ? `${start}…` : start;
};

/**
 * Trusted keys from --key and --policy.
 * @throws UsageError when a key or the policy is malformed
 */
export function trustOf({ key: keys = [], policy }: { key?: string[]; policy?: string }): Trust {
  const logs = keys.map((text) => {
    const key = parseVerifierKey(noteTools.sha256, text);
    if (key?.type === ED25519) return key;
    throw new UsageError(
      `--key: "${startOf(text)}" is not a verifier key (NAME+ID+BASE64), or its id is not the hash of its key.`,
    );
  });
  const found: Trust = policy === undefined ? { logs: [], witnesses: [], quorum: null } : readPolicy(policy);
  return { ...found, logs: [...found.logs, ...logs] };
}
