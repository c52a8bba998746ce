import { parseNote as parseOldNote } from "@/server/evidence/chain/note";
import {
  checkSignature,
  fromBase64,
  keyForOrigin,
  keyIdOf,
  type NoteTools,
  noteOf,
} from "@/server/evidence/tree/signed-note";
import { orgIdOf, parseCheckpoint, type TreeCheckpoint } from "@/server/evidence/tree/statement";
import { emptyRoot, equalBytes, leafHash, verifyConsistency, verifyInclusion } from "@/server/evidence/tree/tree";
import type { SinceLine } from "./format";
import type { Trust } from "./trust";

/** Whether the log of a bundle continues from a checkpoint that the asker kept, of either version. */

/** A kept note: of version 2 (all entries up to a size), or of version 1 (the entry at a sequence). */
export type KeptNote =
  | { version: 2; origin: string; orgId: string; size: number; root: Uint8Array; signature: "good" | "bad" | "absent" }
  | { version: 1; orgId: string; seq: number; checksum: string; signature: "good" | "bad" | "absent" };

const signatureOf = (checks: readonly ("good" | "bad" | "absent")[]) =>
  checks.includes("bad") ? "bad" : checks.includes("good") ? "good" : "absent";

/** The text of a note taken apart and its signature held to the trusted keys; null when it is no checkpoint. */
export function readKeptNote(tools: NoteTools, text: string, { logs: keys }: Trust): KeptNote | null {
  const note = noteOf(text);
  if (!note) return null;
  const checkpoint = parseCheckpoint(note.text);
  if (checkpoint) {
    const here = keys.map((key) => keyForOrigin(tools.sha256, key, checkpoint.origin)).filter((key) => key !== null);
    const signature = signatureOf(here.map((key) => checkSignature(tools, note, key)));
    const { origin, size, root } = checkpoint;
    return { version: 2, origin, orgId: orgIdOf(origin) ?? "", size, root, signature };
  }
  const old = parseOldNote(text);
  if (!old) return null;
  // Version 1 signed in the installation's name, regardless of what the key is pinned for.
  const name = old.origin.slice(0, old.origin.indexOf("/audit/"));
  const here = keys
    .filter((key) => key.name === name || key.name.startsWith(`${name}/`))
    .map((key) => ({ ...key, name, id: keyIdOf(tools.sha256, { ...key, name }) }));
  const signature = signatureOf(here.map((key) => checkSignature(tools, note, key)));
  const { orgId, seq, checksum } = old.checkpoint;
  return { version: 1, orgId, seq, checksum, signature };
}

/** What follows from a note: it contradicts, it is not proven (a sentence), or it is continued. */
export type SinceFound = { kind: "broken" | "unproven" | "continued"; text: string };

const broken = (text: string): SinceFound => ({ kind: "broken", text });
const unproven = (text: string): SinceFound => ({ kind: "unproven", text });

const bytesOf = (hashes: readonly string[]): Uint8Array[] => hashes.map((hash) => fromBase64(hash) ?? new Uint8Array());
const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** Whether an entry's checksum, which a since line names, is in the tree. */
export function holdsEntry(
  tools: NoteTools,
  line: Extract<SinceLine, { seq: number }>,
  checkpoint: TreeCheckpoint,
): boolean {
  const { seq, checksum, hashes } = line;
  const leaf = leafHash(tools.sha256, fromHex(checksum));
  const { size, root } = checkpoint;
  return verifyInclusion(tools.sha256, { index: seq - 1, size, leaf, path: bytesOf(hashes), root });
}

/** Holds the bundle's checkpoint to a kept note, by the proof that the bundle carries. */
export function checkSince(
  tools: NoteTools,
  kept: KeptNote,
  { line, checkpoint }: { line: SinceLine | null; checkpoint: TreeCheckpoint },
): SinceFound {
  if (kept.signature === "bad")
    return broken("the note given with --since has a trusted key's signature that does not hold");
  if (kept.signature === "absent") return unproven("No trusted key signed the note given with --since.");
  return kept.version === 2
    ? sinceTree(tools, kept, { line, checkpoint })
    : sinceEntry(tools, kept, { line, checkpoint });
}

type Held = { line: SinceLine | null; checkpoint: TreeCheckpoint };

function sinceTree(tools: NoteTools, kept: KeptNote & { version: 2 }, { line, checkpoint }: Held): SinceFound {
  const { size, root } = kept;
  if (size > checkpoint.size)
    return unproven(
      `The note given with --since is of size ${size}, newer than the bundle's checkpoint of size ${checkpoint.size}.`,
    );
  const proof = line && "size" in line && line.size === size ? bytesOf(line.hashes) : null;
  const isPlain = size === checkpoint.size || size === 0;
  if (!proof && !isPlain)
    return unproven(`The bundle holds no proof from size ${size}; download it with since=${size}.`);
  if (size === 0 && !equalBytes(root, emptyRoot(tools.sha256))) return broken(`the note of size 0 has another root`);
  const input = { older: size, size: checkpoint.size, olderRoot: root, root: checkpoint.root, proof: proof ?? [] };
  return verifyConsistency(tools.sha256, input)
    ? { kind: "continued", text: `The log goes on from the note of size ${size}, unchanged.` }
    : broken(`the log does not go on from the note of size ${size}: history was rewritten`);
}

function sinceEntry(tools: NoteTools, kept: KeptNote & { version: 1 }, { line, checkpoint }: Held): SinceFound {
  const { seq, checksum } = kept;
  if (seq > checkpoint.size)
    return unproven(
      `The note given with --since is of sequence ${seq}, newer than the bundle's checkpoint of size ${checkpoint.size}.`,
    );
  if (!line || !("seq" in line) || line.seq !== seq)
    return unproven(`The bundle holds no proof of the note's entry; download it with since=${seq}:${checksum}.`);
  if (line.checksum !== checksum) return broken(`entry ${seq} is ${line.checksum}, the note says ${checksum}`);
  return holdsEntry(tools, line, checkpoint)
    ? { kind: "continued", text: `Entry ${seq} of the note of version 1 is in the log, unchanged.` }
    : broken(`the proof of entry ${seq} does not lead to the checkpoint's root`);
}
