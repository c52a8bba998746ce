import { checkSignature, fromBase64, keyForOrigin, type NoteTools, noteOf } from "@/server/evidence/tree/signed-note";
import { orgIdOf, parseCheckpoint, type TreeCheckpoint } from "@/server/evidence/tree/statement";
import { emptyRoot, equalBytes, verifyConsistency } from "@/server/evidence/tree/tree";
import type { SinceLine } from "./format";
import type { Trust } from "./trust";

/** Whether the log of a bundle continues from a checkpoint that the asker kept. */

/** A kept checkpoint, and whether a trusted key signed it. */
export type KeptNote = { orgId: string; size: number; root: Uint8Array; signature: "good" | "bad" | "absent" };

const signatureOf = (checks: readonly ("good" | "bad" | "absent")[]) =>
  checks.includes("bad") ? "bad" : checks.includes("good") ? "good" : "absent";

/** The text of a note taken apart and its signature held to the trusted keys; null when it is no checkpoint. */
export function readKeptNote(tools: NoteTools, text: string, { logs: keys }: Trust): KeptNote | null {
  const note = noteOf(text);
  if (!note) return null;
  const checkpoint = parseCheckpoint(note.text);
  if (!checkpoint) return null;
  const { origin, size, root } = checkpoint;
  const here = keys.map((key) => keyForOrigin(tools.sha256, key, origin)).filter((key) => key !== null);
  const signature = signatureOf(here.map((key) => checkSignature(tools, note, key)));
  return { orgId: orgIdOf(origin) ?? "", size, root, signature };
}

/** What follows from a note: it contradicts, it is not proven (a sentence), or it is continued. */
export type SinceFound = { kind: "broken" | "unproven" | "continued"; text: string };

const broken = (text: string): SinceFound => ({ kind: "broken", text });
const unproven = (text: string): SinceFound => ({ kind: "unproven", text });

const bytesOf = (hashes: readonly string[]): Uint8Array[] => hashes.map((hash) => fromBase64(hash) ?? new Uint8Array());
/** Holds the bundle's checkpoint to a kept note, by the proof that the bundle carries. */
export function checkSince(
  tools: NoteTools,
  kept: KeptNote,
  { line, checkpoint }: { line: SinceLine | null; checkpoint: TreeCheckpoint },
): SinceFound {
  if (kept.signature === "bad")
    return broken("the note given with --since has a trusted key's signature that does not hold");
  if (kept.signature === "absent") return unproven("No trusted key signed the note given with --since.");
  const { size, root } = kept;
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
