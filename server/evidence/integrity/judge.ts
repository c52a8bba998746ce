import { appSql, asSystem } from "@/db/client";
import { GUARDS_OF_LATER, otherGuards } from "@/db/guards";
import type { ChainReader } from "@/server/evidence/chain/chain-stream";
import { type Anchor, type Break, breakOf } from "@/server/evidence/chain/verifier";
import { type Integrity, type VerifyInput, verifyAnd } from "@/server/evidence/chain/verify";
import { beyondHead } from "@/server/evidence/checkpoints/frontier";
import { leafOf } from "@/server/evidence/checkpoints/hashing";
import { fromTree } from "@/server/evidence/checkpoints/nodes";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { checkpointOf, ownKeys, type StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { TreeDamage } from "@/server/evidence/checkpoints/tiles";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { restoredReasons } from "@/server/evidence/tree/statement";
import { inclusionProof, verifyInclusion } from "@/server/evidence/tree/tree";
import { systemCtx } from "@/server/ground/context";
import { databaseAddresses } from "@/server/ground/env";
import { log } from "@/server/ground/log";
import { raiseAlarm } from "./alarm";
import { checkTiles } from "./check-tiles";
import type { Covered, VerdictStatus } from "./schema";
import { readState } from "./state";
import { readWindow } from "./window";

/**
 * Our own signature over a chain now: a checkpoint over its head; a refusal, because something disagrees or a witness
 * has another log; or none, because key or disk failed.
 */
export type OwnNote =
  | { kind: "signed"; note: StoredNote; keys: string[] }
  | { kind: "refused"; breaks: Break[] }
  | { kind: "none"; reason: string };

/**
 * Signs the head of a chain, or reports why not; findings raise the alarm. Never rejects.
 * @param now date of the checkpoint
 */
export async function ownNote(orgId: string, now: Date): Promise<OwnNote> {
  try {
    const signing = await signCheckpoint(orgId, { now });
    if (signing.kind === "refused") return signing;
    const { note, warnings, disputes } = signing;
    const breaks = [...warnings, ...disputes];
    if (breaks.length > 0) await raiseAlarm({ orgId, at: new Date().toISOString(), source: "checkpoint", breaks });
    if (disputes.length > 0) return { kind: "refused", breaks: disputes };
    return { kind: "signed", note, keys: ownKeys(orgId).map(formatVerifierKey) };
  } catch (error) {
    log.error({ err: error, orgId }, "a chain could not be signed");
    return {
      kind: "none",
      reason: "No checkpoint could be signed: the signing key or the data folder cannot be used.",
    };
  }
}

const broken = ({ seq }: Anchor, { size }: StoredNote, actual: string): Break => {
  const expected = `the entry that the signed checkpoint of ${size} entries covers`;
  return breakOf({ seq, kind: "altered", expected, actual });
};

/**
 * Proves that a row, and so every row it links back to, is a leaf of a checkpoint's tree.
 * @returns null if so, else the break
 */
export async function proveRow(row: Anchor, note: StoredNote): Promise<Break | null> {
  const { orgId, size } = note;
  const index = row.seq - 1;
  try {
    const path = await asSystem((tx) => fromTree(tx, { orgId, size }, (tree) => inclusionProof(tree, index, size)));
    const leaf = leafOf(row.checksum);
    const holds = verifyInclusion(sha256, { index, size, leaf, path, root: checkpointOf(note).root });
    return holds ? null : broken(row, note, "another one stands there");
  } catch (error) {
    if (!(error instanceof TreeDamage)) throw error;
    return broken(row, note, error.message);
  }
}

/** Verdict of this server over the rows, with the confirmation by our own key. */
export type Judged = Omit<Integrity, "status" | "marked"> & {
  status: VerdictStatus;
  /** Reasons that it is unproven, one sentence each. */
  reasons: string[];
  covered: Covered;
  /** Start of the run; later findings may not be in it. */
  began: Date;
};

/**
 * True if a reading of the whole chain ends its alarm: no contradiction, and our checkpoint covers the rows read. A
 * past restoration, which every reading mentions, is no alarm.
 */
export const endsAlarm = ({ status, covered }: Judged): boolean =>
  status === "intact" || status === "empty" || (status === "unproven" && covered.lastSeq !== null);

/** Uses a verdict while its snapshot is open. */
export type InSnapshot = (judged: Judged, reader: ChainReader) => Promise<void>;
type JudgeOptions = Pick<VerifyInput, "fromSeq" | "toSeq" | "onProgress" | "signal" | "pool"> & {
  inSnapshot?: InSnapshot | undefined;
};

/** Differences between the rows and what our key signed; `through` is the last row covered, 0 for none. */
type Proof = { breaks: Break[]; reasons: string[]; through: number };

const isWhole = ({ fromSeq, toSeq }: JudgeOptions): boolean => fromSeq === undefined && toSeq === undefined;

/** Reasons in the checkpoint itself not to call these entries whole. */
function lostReasons(note: StoredNote, options: JudgeOptions): string[] {
  const { fromSeq = 1, toSeq = Number.MAX_SAFE_INTEGER } = options;
  return restoredReasons(
    checkpointOf(note).restored ?? [],
    isWhole(options) ? "whole" : { first: fromSeq, last: toSeq },
  );
}

/**
 * Compares the stored tree with the signed one. Comparing leaves with rows doubles the reading, so the nights do it in
 * slices, and a whole reading only if it might end an alarm.
 */
async function compareTree({ firstSeq }: Integrity, { seq: last }: Anchor, note: StoredNote): Promise<Break[]> {
  const { state } = await readState({ kind: "system" }, note.orgId);
  return checkTiles(note, state.status === "broken" ? { slice: { first: firstSeq ?? 1, last } } : null);
}

async function prove(found: Integrity, note: OwnNote, options: JudgeOptions): Promise<Proof> {
  const { marked, breaks, rowsChecked, head } = found;
  const nothing = { breaks: [], reasons: [], through: 0 };
  if (note.kind === "none") return { ...nothing, reasons: [note.reason] };
  // If the reading found the place itself, its result is exact.
  if (note.kind === "refused") return breaks.length > 0 ? nothing : { ...nothing, breaks: note.breaks };
  if (breaks.length > 0) return nothing;
  // The signed entries existed then, so the log was cut before this reading.
  if ((head?.seq ?? 0) < note.note.size) return { ...nothing, breaks: [beyondHead(head, note.note)] };
  if (rowsChecked === 0) return nothing;
  if (!marked) return { ...nothing, reasons: ["No signed checkpoint covers these entries yet."] };
  const contradiction = await proveRow(marked, note.note);
  if (contradiction) return { ...nothing, breaks: [contradiction] };
  const other = isWhole(options) ? await compareTree(found, marked, note.note) : [];
  if (other.length > 0) return { ...nothing, breaks: other };
  return { ...nothing, reasons: lostReasons(note.note, options), through: marked.seq };
}

function conclude(
  { marked: _, ...found }: Integrity,
  note: OwnNote,
  { breaks: more, reasons, through }: Proof,
): Omit<Judged, "began"> {
  const breaks = [...found.breaks, ...more].sort((a, b) => a.seq - b.seq);
  const isBroken = breaks.length > 0;
  const signed = note.kind === "signed" ? note : null;
  return {
    ...found,
    breaks,
    status: isBroken ? "broken" : reasons.length > 0 ? "unproven" : found.status,
    reasons: isBroken ? [] : reasons,
    covered: {
      firstSeq: through > 0 ? found.firstSeq : null,
      lastSeq: through > 0 ? through : null,
      checkpoint: signed && { size: signed.note.size, signedAt: signed.note.signedAt, keys: signed.keys },
    },
  };
}

const MAX_FAULTS_SHOWN = 5;

/** Differences between the database's guards and this version's; null if none. */
export async function changedGuards(): Promise<Break | null> {
  const faults = await otherGuards(appSql(), databaseAddresses());
  if (faults.length === 0) return null;
  log.error({ guards: faults }, "the database's guards are not those of this version");
  const actual = faults.slice(0, MAX_FAULTS_SHOWN).join("; ");
  return breakOf({
    seq: 0,
    kind: "altered",
    expected: "functions, triggers and rights as this version ships them",
    actual,
  });
}

/**
 * Faults that raise an alarm but are in no entry: a whole reading that missed them would end that alarm. If another
 * process runs a later version, its guards differ, which ends nothing either.
 */
async function judgeBeside(orgId: string): Promise<Pick<Proof, "breaks" | "reasons">> {
  const [guards, window] = await Promise.all([changedGuards(), asSystem((tx) => readWindow(tx, orgId))]);
  const isOfLater = guards?.actual === GUARDS_OF_LATER;
  const breaks = [isOfLater ? null : guards, window?.other].filter((one) => one != null);
  return { breaks, reasons: isOfLater ? [`The database's guards were not checked: ${GUARDS_OF_LATER}.`] : [] };
}

async function proveAll(found: Integrity, note: OwnNote, options: JudgeOptions): Promise<Proof> {
  const proof = await prove(found, note, options);
  if (!isWhole(options)) return proof;
  const { breaks, reasons } = await judgeBeside(found.orgId);
  if (breaks.length === 0 && reasons.length === 0) return proof;
  return { breaks: [...proof.breaks, ...breaks], reasons: [...proof.reasons, ...reasons], through: 0 };
}

/**
 * Judges a chain, whole or between two sequences: signs its head first, reads, and checks the last row against the
 * signed tree. Intact if nothing contradicts and a checkpoint of ours proves the rows; unproven, with reasons, if there
 * is no such checkpoint; empty is intact without rows.
 * @param given our signature, if just made
 */
export async function judgeChain(orgId: string, options: JudgeOptions = {}, given?: OwnNote): Promise<Judged> {
  const ctx = systemCtx();
  const began = ctx.now();
  const note = given ?? (await ownNote(orgId, began));
  const size = note.kind === "signed" ? note.note.size : undefined;
  const mark = size === undefined ? undefined : Math.min(size, options.toSeq ?? size);
  return verifyAnd(ctx, { orgId, ...options, mark }, async (found, reader) => {
    const judged = { ...conclude(found, note, await proveAll(found, note, options)), began };
    await options.inSnapshot?.(judged, reader);
    return judged;
  });
}
