import { LogTrust, type Trust, textsOf } from "@/server/evidence/bundle/trust";
import { leafOf } from "@/server/evidence/checkpoints/hashing";
import { noteTools, sha256 } from "@/server/evidence/tree/note-tools";
import { fromBase64, noteOf, type SignedNote } from "@/server/evidence/tree/signed-note";
import { orgIdOf, parseCheckpoint, restoredReasons, type TreeCheckpoint } from "@/server/evidence/tree/statement";
import { decompose, equalBytes, TreeFold } from "@/server/evidence/tree/tree";
import { type Altered, KeptChain } from "./chain";
import { type Range, rangeText, runsOf } from "./ranges";
import { readLine } from "./read-line";

/** Judge of a receiver's copy of streams, whatever the order of lines. */

export type ChainVerdict = {
  status: "intact" | "broken" | "unproven";
  orgId: string;
  origin: string | null;
  first: number | null;
  last: number | null;
  /** Number of entries; `recomputed`: contents match their checksum; `placeOnly`: only the position is known. */
  entries: number;
  recomputed: number;
  placeOnly: number;
  /** Filtered entries, proven by their checksums. */
  filtered: number;
  duplicates: number;
  missing: Range[];
  altered: Altered[];
  /** Entries removed by retention before they were sent. */
  notSent: Range[];
  /** Newest entry under a checkpoint signed by a trusted key. */
  signedThrough: number | null;
  checkpoint: { size: number; signedAt: string } | null;
  signedBy: string[];
  cosignedBy: { name: string; at: string }[];
  /** Reasons that it is unproven, one sentence each. */
  reasons: string[];
  notices: string[];
};

/** Unrelated lines are harmless: receivers add their own. */
export type StreamVerdict = {
  status: ChainVerdict["status"] | "unreadable";
  lines: number;
  otherLines: number;
  chains: ChainVerdict[];
};

type Signed = Pick<ChainVerdict, "signedThrough" | "checkpoint" | "signedBy" | "cosignedBy" | "reasons"> & {
  altered: Altered[];
};
type Candidate = { note: SignedNote; checkpoint: TreeCheckpoint };

/** Newest sequence up to which all checksums since the tree's start are known, and that start. */
function beginningOf(chain: KeptChain): { base: number; hashes: readonly string[] } | null {
  if (chain.sealed.has(1)) return { base: 0, hashes: [] };
  const known = chain.markers.filter(({ before, first }) => before && chain.sealed.has(first));
  const [earliest] = known.sort((a, b) => a.first - b.first);
  return earliest ? { base: earliest.first - 1, hashes: earliest.before ?? [] } : null;
}

/** Roots over the kept entries at some sizes, as far as complete. */
function rootsOf(chain: KeptChain, sizes: ReadonlySet<number>): Map<number, Uint8Array> {
  const roots = new Map<number, Uint8Array>();
  const beginning = beginningOf(chain);
  if (!beginning) return roots;
  const { base, hashes } = beginning;
  const fold = new TreeFold(sha256);
  const parts = decompose(0, base).map(({ height }, i) => ({ height, hash: fromBase64(hashes[i] ?? "") }));
  for (const { height, hash } of parts) {
    if (hash?.length !== 32) return roots;
    fold.push(height, hash);
  }
  for (let seq = base + 1; chain.sealed.has(seq); seq++) {
    fold.push(0, leafOf(chain.sealed.get(seq) ?? ""));
    if (sizes.has(seq)) roots.set(seq, fold.root());
  }
  return roots;
}

function candidatesOf(chain: KeptChain): { found: Candidate[]; altered: Altered[] } {
  const altered: Altered[] = [];
  const found: Candidate[] = [];
  const texts = new Map(chain.markers.map(({ checkpoint, first }) => [checkpoint, first]));
  for (const [text, seq] of texts) {
    if (text === null) continue;
    const note = noteOf(text);
    const checkpoint = note && parseCheckpoint(note.text);
    if (!note || !checkpoint) altered.push({ seq, reason: "a checkpoint that is none" });
    else if (orgIdOf(checkpoint.origin) !== chain.orgId)
      altered.push({ seq, reason: `a checkpoint of another log, ${checkpoint.origin}` });
    else found.push({ note, checkpoint });
  }
  return { found: found.sort((a, b) => a.checkpoint.size - b.checkpoint.size), altered };
}

type Checked = { found: number; reached: boolean; isTrusted: boolean };

/** Reason that no checkpoint in the files proves the entries. */
function missingSignature(chain: KeptChain, trust: Trust, { found, reached, isTrusted }: Checked): string {
  if (trust.logs.length === 0) return "It fits in itself; pass --key VERIFIER_KEY to hold it to a key that you trust.";
  if (found === 0) return "No line carries a signed checkpoint.";
  if (!isTrusted) return "No trusted key signed a checkpoint of this log.";
  if (reached) return "The quorum of the policy is not met by any checkpoint.";
  return beginningOf(chain)
    ? "No signed checkpoint is about entries that are all here."
    : "The entries before the first one here are not known, so that no signed checkpoint can be recomputed.";
}

/** Contradictions of a checkpoint, and its signers. */
function checkCheckpoint({ note, checkpoint }: Candidate, root: Uint8Array | undefined, trust: Trust) {
  const { size, origin } = checkpoint;
  const log = new LogTrust(noteTools, trust, { origin, named: [] });
  const { trusted, bad } = log.signersOf(note);
  const of = `the checkpoint of size ${size}`;
  const altered: Altered[] = [];
  if (bad) altered.push({ seq: size, reason: `the signature of ${bad.name} under ${of} does not hold` });
  if (root && !equalBytes(root, checkpoint.root))
    altered.push({ seq: size, reason: `the entries up to it do not come to the root of ${of}` });
  return { altered, trusted, ...log.cosigned(note) };
}

/** Checks every checkpoint in the lines against the entries, and its signatures against the trusted keys. */
function checkSignatures(chain: KeptChain, trust: Trust): Signed {
  const { found, altered } = candidatesOf(chain);
  const roots = rootsOf(chain, new Set(found.map(({ checkpoint }) => checkpoint.size)));
  const checked: Checked = { found: found.length, reached: false, isTrusted: false };
  let newest: Omit<Signed, "altered"> | null = null;
  for (const candidate of found) {
    const { size, signedAt, restored = [] } = candidate.checkpoint;
    const root = roots.get(size);
    const { trusted, by, isMet, altered: contradicted } = checkCheckpoint(candidate, root, trust);
    altered.push(...contradicted);
    checked.isTrusted ||= trusted.length > 0;
    if (!root || trusted.length === 0) continue;
    checked.reached = true;
    if (isMet === false) continue;
    const first = runsOf(chain.sealed.keys())[0]?.first ?? 1;
    newest = {
      signedThrough: size,
      checkpoint: { size, signedAt },
      signedBy: textsOf(trusted),
      cosignedBy: by,
      reasons: restoredReasons(restored, { first, last: size }),
    };
  }
  const nothing = { signedThrough: null, checkpoint: null, signedBy: [], cosignedBy: [] };
  return { ...(newest ?? { ...nothing, reasons: [missingSignature(chain, trust, checked)] }), altered };
}

const listed = (ranges: readonly Range[]): string => ranges.map(rangeText).join(", ");

function reasonsOf(chain: KeptChain): string[] {
  const { notSent, unmarked } = chain;
  return [
    ...(notSent.length > 0
      ? [`Retention removed ${listed(notSent)} before it was sent, by the word of a marker.`]
      : []),
    ...(unmarked.length > 0 ? [`The marker of the batch of ${listed(unmarked)} is not here.`] : []),
  ];
}

function noticesOf(
  chain: KeptChain,
  { last, signedThrough }: { last: number; signedThrough: number | null },
): string[] {
  const { placeOnly } = chain.counts;
  return [
    ...(placeOnly > 0
      ? [
          `Of ${placeOnly} ${placeOnly === 1 ? "entry" : "entries"} the format holds the place and not all contents: only the place is checked.`,
        ]
      : []),
    ...(signedThrough !== null && signedThrough < last
      ? [`Entries ${rangeText({ first: signedThrough + 1, last })} are newer than the last signed checkpoint here.`]
      : []),
  ];
}

function judgeChain(chain: KeptChain, trust: Trust): ChainVerdict {
  const { altered: contradicted, reasons, ...signed } = checkSignatures(chain, trust);
  const altered = [...chain.altered, ...contradicted];
  const missing = chain.missing;
  const runs = runsOf(chain.sealed.keys());
  const [first, last] = [runs[0]?.first ?? null, runs.at(-1)?.last ?? null];
  const why = [...reasonsOf(chain), ...reasons];
  return {
    status: missing.length + altered.length > 0 ? "broken" : why.length > 0 ? "unproven" : "intact",
    orgId: chain.orgId,
    origin: chain.markers[0]?.origin ?? null,
    ...{ first, last },
    ...chain.counts,
    duplicates: chain.duplicates,
    ...{ missing, altered, notSent: chain.notSent },
    ...signed,
    reasons: why,
    notices: noticesOf(chain, { last: last ?? 0, signedThrough: signed.signedThrough }),
  };
}

/** Reads lines in any order and judges each organization. */
export class StreamJudge {
  readonly #chains = new Map<string, KeptChain>();
  #lines = 0;
  #otherLines = 0;

  #chain(orgId: string): KeptChain {
    const known = this.#chains.get(orgId) ?? new KeptChain(orgId);
    this.#chains.set(orgId, known);
    return known;
  }

  add(line: string): void {
    if (line.trim() === "") return;
    this.#lines++;
    const found = readLine(line);
    if (found.length === 0) this.#otherLines++;
    for (const one of found) {
      if (one.kind === "entry") this.#chain(one.orgId).addEntry(one);
      else this.#chain(one.orgId).addMarker(one);
    }
  }

  finish(trust: Trust): StreamVerdict {
    const chains = [...this.#chains.values()].map((chain) => judgeChain(chain, trust));
    const worst = (["broken", "unproven", "intact"] as const).find((status) =>
      chains.some((chain) => chain.status === status),
    );
    return { status: worst ?? "unreadable", lines: this.#lines, otherLines: this.#otherLines, chains };
  }
}
