import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type Break, breakOf } from "@/server/evidence/chain/verifier";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { cosignedBy, meetsQuorum, type Policy } from "@/server/evidence/tree/policy";
import { formatNote, parseNote } from "@/server/evidence/tree/signed-note";
import { type AboutRange, restoredReasons, timeOfSeconds } from "@/server/evidence/tree/statement";
import { consistencyProof } from "@/server/evidence/tree/tree";
import { cosign as askWitnesses, type Cosigning } from "@/server/evidence/witnesses/ask";
import { witnessPolicy } from "@/server/evidence/witnesses/policy-file";
import { gauge } from "@/server/ground/background/metrics";
import { readHead } from "./frontier";
import { fromTree } from "./nodes";
import { checkpointPages } from "./note-store";
import { checkpointOf, originOfOrg, type StoredNote } from "./stored-note";

/** Checkpoints read and checked at once: some milliseconds, before other requests get their turn. */
const READ_AT_ONCE = 50;
/**
 * Limit of the search for a quorum: two days of checkpoints a minute and five of hourly ones. A log whose witnesses
 * were away longer is published under its newest checkpoint, as never seen by them.
 */
const MAX_LOOKED_AT = 3_000;

/** Witnesses of the policy that cosigned a note, and when. */
export function cosignersOf(note: string, policy = witnessPolicy()): { name: string; at: string }[] {
  const parsed = policy && parseNote(note);
  if (!parsed) return [];
  return cosignedBy(noteTools, policy, parsed).map(({ witness, seconds }) => ({
    name: witness.name,
    at: timeOfSeconds(seconds),
  }));
}

/** Checked cosignatures by the note's hash: the same newest checkpoints are requested repeatedly. */
const seen = new Map<string, WitnessState>();
const MAX_SEEN = 20_000;

/** not_configured: the policy has no witness; missing: too few have cosigned the note. */
type WitnessState = { state: "not_configured" | "cosigned" | "missing"; cosigners: { name: string; at: string }[] };

/** State of a checkpoint according to the policy's witnesses. */
export function witnessStateOf(note: string, policy = witnessPolicy()): WitnessState {
  if (!policy?.quorum) return { state: "not_configured", cosigners: cosignersOf(note, policy) };
  const name = createHash("sha256").update(note).digest("hex");
  const known = seen.get(name);
  if (known) return known;
  if (seen.size >= MAX_SEEN) seen.clear();
  const cosigners = cosignersOf(note, policy);
  const signed = policy.witnesses.filter((witness) => cosigners.some((cosigner) => cosigner.name === witness.name));
  const found = { state: meetsQuorum(policy.quorum, signed) ? ("cosigned" as const) : ("missing" as const), cosigners };
  seen.set(name, found);
  return found;
}

/** True if a note lacks a witness whose address is known. */
export function awaitsWitness(note: string): boolean {
  const policy = witnessPolicy();
  const { cosigners } = witnessStateOf(note, policy);
  return (policy?.witnesses ?? []).some(
    ({ name, url }) => url !== null && !cosigners.some((cosigner) => cosigner.name === name),
  );
}

/** Page size of the search for the newest checkpoint with a quorum. */
const PAGE_ROWS = 500;

/**
 * Start of a missing quorum in milliseconds: when the first checkpoint after the newest complete one was signed. Read
 * from stored notes, so that a new process knows it too.
 */
async function quorumMissingSince({ orgId, signedAt }: StoredNote, policy: Policy | null): Promise<number> {
  let since = Date.parse(signedAt);
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const rows = await asSystem((tx) =>
      rowsOf<{ note: string; ms: string }>(
        tx,
        sql`SELECT note, audit_ms(signed_at) AS ms FROM audit_notes
          WHERE org_id = ${orgId} AND kind = 'checkpoint' AND signed_at < ${signedAt}::timestamptz
          ORDER BY signed_at DESC LIMIT ${PAGE_ROWS} OFFSET ${offset}`,
      ),
    );
    for (const { note, ms } of rows) {
      if (witnessStateOf(note, policy).state !== "missing") return since;
      since = Number(ms);
    }
    if (rows.length < PAGE_ROWS) return since;
  }
}

/** Published range, and the entries that the checkpoint must cover. */
type Wanted = { size: number; about: AboutRange };

/**
 * Checkpoint to publish with some entries: the newest that covers them and has a quorum; the newest of all after about
 * a week without one. Skips checkpoints older than a restoration that concerns the range, because they do not state the
 * loss.
 * @returns null if none covers the entries
 */
export async function checkpointToShow(tx: Tx, orgId: string, { size, about }: Wanted): Promise<StoredNote | null> {
  const policy = witnessPolicy();
  const lostBy = (note: StoredNote) => restoredReasons(checkpointOf(note).restored ?? [], about).length;
  let newest: { note: StoredNote; lost: number } | null = null;
  let lookedAt = 0;
  for await (const page of checkpointPages(tx, orgId, READ_AT_ONCE)) {
    for (const note of page) {
      if (note.size < size) return newest?.note ?? null;
      newest ??= { note, lost: lostBy(note) };
      if (lostBy(note) === newest.lost && witnessStateOf(note.note, policy).state !== "missing") return note;
    }
    lookedAt += READ_AT_ONCE;
    if (newest && lookedAt >= MAX_LOOKED_AT) break;
  }
  return newest?.note ?? null;
}

/** A checkpoint after asking the witnesses; one with another history is a break for the alarm. */
export type Cosigned = { note: string; disputes: Break[] };

const proofFrom =
  ({ orgId, size }: StoredNote) =>
  (older: number): Promise<Uint8Array[]> =>
    asSystem((tx) => fromTree(tx, { orgId, size }, (tree) => consistencyProof(tree, older, size)));

/**
 * A witness ahead of this checkpoint but not of the chain was asked by another process. A witness that saw entries lost
 * in a restoration is right to refuse for good: the checkpoint itself states the loss.
 */
async function breaksOf(stored: StoredNote, alarms: Cosigning["alarms"]): Promise<Break[]> {
  const { orgId, size } = stored;
  const restored = checkpointOf(stored).restored ?? [];
  const isAhead = alarms.some(({ knownSize }) => knownSize > size);
  const head = isAhead ? ((await asSystem((tx) => readHead(tx, orgId)))?.seq ?? 0) : size;
  return alarms
    .filter(({ knownSize }) => knownSize <= size || knownSize > head)
    .filter(({ knownSize }) => !restored.some(({ proven, lost }) => knownSize > proven && knownSize <= lost))
    .map(({ witness, knownSize, reason }) =>
      breakOf({
        seq: knownSize,
        kind: knownSize > size ? "truncated" : "altered",
        expected: `the log of ${knownSize} entries that the witness ${witness} cosigned`,
        actual: `another log of ${size} entries: ${reason}`,
      }),
    );
}

/**
 * Called for each new checkpoint after it is in the folder and before it is in audit_notes, and again if witnesses are
 * missing.
 * @returns the note with the witnesses' signatures; unchanged if none signs or none is required
 */
export async function cosign(stored: StoredNote, policy = witnessPolicy()): Promise<Cosigned> {
  const parsed = policy && parseNote(stored.note);
  if (!parsed) return { note: stored.note, disputes: [] };
  const checkpoint = { note: parsed, size: stored.size, proofFrom: proofFrom(stored) };
  const origin = originOfOrg(stored.orgId);
  const { signatures, alarms, isWitnessed } = await askWitnesses(origin, checkpoint, policy);
  const isNews = !isWitnessed && !isKnownUnwitnessed(origin);
  noteWitnessed(origin, isWitnessed, isNews ? await quorumMissingSince(stored, policy) : undefined);
  return {
    note: formatNote(parsed.text, [...parsed.signatures, ...signatures]),
    disputes: await breaksOf(stored, alarms),
  };
}

/** Origins whose newest checkpoint lacks a quorum, with the start in milliseconds. */
const unwitnessed = new Map<string, number>();

/** Age of the oldest missing quorum in seconds; 0 if every newest checkpoint has one. */
export function witnessedAgeSeconds(now = Date.now()): number {
  const oldest = Math.min(...unwitnessed.values(), now);
  return (now - oldest) / 1000;
}

/** True if an origin is known to lack a quorum. */
const isKnownUnwitnessed = (origin: string): boolean => unwitnessed.has(origin);

/**
 * Records the witness state of an origin's newest checkpoint, for the metric.
 * @param since start of the missing quorum in milliseconds; an earlier known value stays
 */
export function noteWitnessed(origin: string, isWitnessed: boolean, since = Date.now()): void {
  gauge(
    "trailmark_audit_witnessed_age_seconds",
    "Seconds for which the newest checkpoint of some organization has lacked the witnesses that the policy asks for",
    witnessedAgeSeconds,
  );
  if (isWitnessed) unwitnessed.delete(origin);
  else if (!unwitnessed.has(origin)) unwitnessed.set(origin, since);
}
