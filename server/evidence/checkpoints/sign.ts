import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { Break } from "@/server/evidence/chain/verifier";
import { parseNote } from "@/server/evidence/tree/signed-note";
import { checkpointText, type TreeCheckpoint } from "@/server/evidence/tree/statement";
import { timestampOf } from "@/server/evidence/witnesses/timestamp";
import { env } from "@/server/ground/env";
import { extendTree } from "./extend";
import { keepLatest } from "./folder";
import { EMPTY_ROOT } from "./hashing";
import { insertNote, publishNote, thinNotes } from "./note-store";
import { checkpointOf, originOfOrg, readOwnNote, type StoredNote, signStatement } from "./stored-note";
import { awaitsWitness, cosign } from "./witnessed";

/**
 * Time-stamp of the authority over a new checkpoint (RFC 3161), daily per organization, stored beside the note. Null if
 * none is due, configured or granted; the next checkpoint tries again. Never rejects because of the authority.
 */
async function dailyTimestamp({ orgId, size, signedAt, note }: StoredNote): Promise<Buffer | null> {
  if (!env().TRAILMARK_TSA_URL || size === 0) return null;
  const query = sql`SELECT 1 FROM audit_notes
    WHERE org_id = ${orgId} AND kind = 'checkpoint' AND timestamp_token IS NOT NULL
      AND signed_at > ${signedAt}::timestamptz - interval '24 hours' LIMIT 1`;
  const recent = await asSystem((tx) => rowsOf(tx, query));
  const text = parseNote(note)?.text;
  return recent.length > 0 || text === undefined ? null : timestampOf(text);
}

type Signed = {
  kind: "signed";
  note: StoredNote;
  /** Faults that do not prevent signing, as breaks for the alarm: the folder's notes are missing. */
  warnings: Break[];
  /** Objections of witnesses that cosigned another log. */
  disputes: Break[];
};

/** Result of signing: a checkpoint that covers the head, or the reason for none. */
export type Signing =
  | Signed
  /** Rows, tree and notes disagree. */
  | { kind: "refused"; breaks: Break[] };

type Statement = Omit<TreeCheckpoint, "origin"> & { isFirstOfHour: boolean };

const hourOf = (iso: string): string => iso.slice(0, 13);

/** Signs, writes to the folder before anything else sees it, asks the witnesses, then notifies subscribers. */
async function signAndKeep(
  orgId: string,
  { isFirstOfHour, ...statement }: Statement,
): Promise<Omit<Signed, "warnings">> {
  const { size, signedAt } = statement;
  const origin = originOfOrg(orgId);
  const note = signStatement(origin, checkpointText({ origin, ...statement }));
  const signed: StoredNote = { orgId, kind: "checkpoint", size, signedAt, note };
  if (!readOwnNote(orgId, note)) throw new Error("a checkpoint that was just signed does not verify");
  await keepLatest(signed);
  const { note: cosigned, disputes } = await cosign(signed);
  const kept = { ...signed, note: cosigned };
  if (cosigned !== note) await keepLatest(kept);
  const token = await dailyTimestamp(kept);
  await asSystem(async (tx) => {
    await insertNote(tx, kept, token);
    if (isFirstOfHour) await thinNotes(tx, orgId);
  });
  await publishNote(kept);
  return { kind: "signed", note: kept, disputes };
}

/**
 * Asks again the witnesses that a stored checkpoint lacks, because one may have refused it before. Notes in the
 * database never change, so a new cosignature makes another checkpoint of the same entries.
 */
async function askAgain(kept: StoredNote): Promise<{ hasMore: boolean; disputes: Break[] }> {
  if (!awaitsWitness(kept.note)) return { hasMore: false, disputes: [] };
  const { note, disputes } = await cosign(kept);
  return { hasMore: note !== kept.note, disputes };
}

/** Logs whose newest rows differ from what this process was told was stored. */
const disputed = new Map<string, Break[]>();

export const stopSigning = (orgId: string, breaks: Break[]): void => void disputed.set(orgId, breaks);

async function signNow(orgId: string, now: string): Promise<Signing> {
  const breaks = disputed.get(orgId);
  if (breaks) return { kind: "refused", breaks };
  const extended = await extendTree(orgId);
  if (extended.kind === "refused") return extended;
  const { frontier, size, root } = extended;
  const { newest, restored, warnings } = frontier;
  // Must not be dated before a restoration, or it would count as superseded; a fast clock may have dated that one.
  const signedAt = [now, ...restored.map(({ at }) => at)].reduce((a, b) => (a > b ? a : b));
  // An empty log must be proven empty too.
  if (!newest && size > 0)
    await signAndKeep(orgId, { size: 0, root: EMPTY_ROOT, signedAt, restored, isFirstOfHour: false });
  const stands = newest?.size === size && checkpointOf(newest).origin === originOfOrg(orgId);
  const asked = stands ? await askAgain(newest) : null;
  if (!newest || !asked || asked.hasMore) {
    const isFirstOfHour = newest !== null && hourOf(newest.signedAt) !== hourOf(signedAt);
    const signed = await signAndKeep(orgId, { size, root, signedAt, restored, isFirstOfHour });
    return { ...signed, warnings };
  }
  if (!frontier.inFolder) await keepLatest(newest);
  if (!frontier.inDatabase) await asSystem((tx) => insertNote(tx, newest));
  return { kind: "signed", note: newest, warnings, disputes: asked.disputes };
}

/** One signing at a time per organization in this process; calls during it share the next one. */
const running = new Map<string, { current: Promise<unknown>; next: Promise<Signing> | null }>();

/**
 * Signs a checkpoint over today's head of an organization: extends the tree, checks that it continues from our newest
 * checkpoint in folder and database, and stores the note in both.
 * @param now date of the checkpoint
 * @returns the new checkpoint, or the newest one if the head has not moved, the server has not been renamed and no
 * missing witness cosigns it; a refusal if anything disagrees
 */
export function signCheckpoint(orgId: string, { now = new Date() }: { now?: Date } = {}): Promise<Signing> {
  const active = running.get(orgId);
  if (active?.next) return active.next;
  const start = (): Promise<Signing> => {
    const signing = signNow(orgId, now.toISOString());
    const entry = { current: signing, next: null };
    running.set(orgId, entry);
    const done = () => {
      if (running.get(orgId) === entry && !entry.next) running.delete(orgId);
    };
    signing.then(done, done);
    return signing;
  };
  if (!active) return start();
  const next = active.current.then(start, start);
  active.next = next;
  return next;
}
