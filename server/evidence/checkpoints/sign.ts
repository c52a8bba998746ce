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
 * The authority's time-stamp over a new checkpoint (RFC 3161), once a day an organization: kept beside the note. Null
 * where none is due, set or granted; the next checkpoint asks again. Never rejects because of the authority.
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

export { originOfOrg, ownKeys, signStatement } from "./stored-note";

type Signed = {
  kind: "signed";
  note: StoredNote;
  /** What is wrong all the same, as breaks for the alarm: the folder's notes are gone. */
  warnings: Break[];
  /** What a witness holds against this checkpoint: it cosigned another log. */
  disputes: Break[];
  /** Every row behind this sequence was read, judged and found whole for this very signing. */
  readAfter: number;
};

/** What became of signing: a checkpoint that covers the head, or why there is none. */
export type Signing =
  | Signed
  /** Rows, tree and notes disagree. */
  | { kind: "refused"; breaks: Break[] };

type Statement = Omit<TreeCheckpoint, "origin"> & { isFirstOfHour: boolean };

const hourOf = (iso: string): string => iso.slice(0, 13);

/** Signs, writes to the folder before anything else sees it, asks the witnesses, then notifies all subscribers. */
async function signAndKeep(
  orgId: string,
  { isFirstOfHour, ...statement }: Statement,
): Promise<Omit<Signed, "readAfter" | "warnings">> {
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
 * Asks the witnesses that a kept checkpoint lacks about it again: one that has not cosigned it may have refused it. Notes
 * in the database are never changed, so where one of them cosigns now, the same entries are worth another checkpoint.
 */
async function askAgain(kept: StoredNote): Promise<{ hasMore: boolean; disputes: Break[] }> {
  if (!awaitsWitness(kept.note)) return { hasMore: false, disputes: [] };
  const { note, disputes } = await cosign(kept);
  return { hasMore: note !== kept.note, disputes };
}

/** Logs whose newest rows are not what this process was told was stored. */
const disputed = new Map<string, Break[]>();

/** Signs a log no more, until the process is started again. */
export const stopSigning = (orgId: string, breaks: Break[]): void => void disputed.set(orgId, breaks);

async function signNow(orgId: string, now: string): Promise<Signing> {
  const breaks = disputed.get(orgId);
  if (breaks) return { kind: "refused", breaks };
  const extended = await extendTree(orgId);
  if (extended.kind === "refused") return extended;
  const { frontier, size, root, readAfter } = extended;
  const { newest, restored, warnings } = frontier;
  // Dated before a restoration, it would be among those left behind; a clock that ran ahead may have dated that one.
  const signedAt = [now, ...restored.map(({ at }) => at)].reduce((a, b) => (a > b ? a : b));
  // "Never had a row" is proven too.
  if (!newest && size > 0)
    await signAndKeep(orgId, { size: 0, root: EMPTY_ROOT, signedAt, restored, isFirstOfHour: false });
  const stands = newest?.size === size && checkpointOf(newest).origin === originOfOrg(orgId);
  const asked = stands ? await askAgain(newest) : null;
  if (!newest || !asked || asked.hasMore) {
    const isFirstOfHour = newest !== null && hourOf(newest.signedAt) !== hourOf(signedAt);
    const signed = await signAndKeep(orgId, { size, root, signedAt, restored, isFirstOfHour });
    return { ...signed, readAfter, warnings };
  }
  if (!frontier.inFolder) await keepLatest(newest);
  if (!frontier.inDatabase) await asSystem((tx) => insertNote(tx, newest));
  return { kind: "signed", note: newest, warnings, disputes: asked.disputes, readAfter };
}

/** One signing of an organization at a time in this process; who comes meanwhile shares the next. */
const running = new Map<string, { current: Promise<unknown>; next: Promise<Signing> | null }>();

/**
 * Signs a checkpoint over today's head of an organization: extends the tree, checks that it continues from our newest
 * checkpoint in the folder and in the database, and keeps the note in both.
 * @param now when it is said to be signed
 * @returns the new checkpoint, or the newest one where the head has not moved, it was signed under today's name of this server and
 *   no witness that was missing cosigns it; a refusal when anything disagrees
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
