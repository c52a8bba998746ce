import { sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { toBase64 } from "@/server/evidence/tree/signed-note";
import type { Restoration } from "@/server/evidence/tree/statement";
import { restoredText } from "@/server/evidence/tree/statement";
import { keepInMonth, readLatest } from "./folder";
import { isTreeAsSigned } from "./nodes";
import { insertNote, listCheckpoints, listRestorations, newestCheckpoint, publishNote } from "./note-store";
import { checkpointOf, originOfOrg, type StoredNote, signStatement } from "./stored-note";

/** Maximum number of checkpoints compared with the log; the signer keeps one a minute for two days. */
const TRIED = 5_000;

/**
 * Signed content that the log no longer has. signedThrough: time of our last checkpoint; isStated: a signed restoration
 * states exactly this.
 */
export type SignedBeyond = { beyond: StoredNote; proven: StoredNote | null; signedThrough: string; isStated: boolean };

async function firstThatHolds(tx: Tx, notes: readonly StoredNote[]): Promise<StoredNote | null> {
  for (const note of notes) if (await isTreeAsSigned(tx, note)) return note;
  return null;
}

const states = (one: Restoration, { beyond, proven }: Pick<SignedBeyond, "beyond" | "proven">): boolean =>
  one.at > beyond.signedAt &&
  one.lost === beyond.size &&
  one.proven === (proven?.size ?? 0) &&
  one.root === toBase64(checkpointOf(beyond).root);

/**
 * Our newest checkpoint in folder or database, if the log is shorter or has another root there, and the newest one that
 * the log still matches.
 * @returns null if the log matches what was signed
 */
export function findSignedBeyond(orgId: string): Promise<SignedBeyond | null> {
  return asSystem(async (tx) => {
    const [latest, stored] = [await readLatest(orgId), await newestCheckpoint(tx, orgId)];
    const newest = latest && (!stored || latest.size >= stored.size) ? latest : stored;
    const rows = sql`SELECT coalesce(max(chain_seq), 0)::float8 AS last FROM audit_logs WHERE org_id = ${orgId}`;
    const last = (await rowsOf<{ last: number }>(tx, rows))[0]?.last ?? 0;
    if (!newest || (newest.size <= last && (await isTreeAsSigned(tx, newest)))) return null;
    const kept = await listCheckpoints(tx, orgId, TRIED);
    const proven = await firstThatHolds(
      tx,
      kept.filter(({ size }) => size > 0 && size <= last),
    );
    const signedThrough = [newest, ...kept].map(({ signedAt }) => signedAt).reduce((a, b) => (a > b ? a : b));
    const restored = await listRestorations(tx, orgId);
    return {
      beyond: newest,
      proven,
      signedThrough,
      isStated: restored.some((one) => states(one, { beyond: newest, proven })),
    };
  });
}

/** A restoration must be dated after every checkpoint that it supersedes, even ones signed by a fast clock. */
const after = (signedThrough: string, now: string): string =>
  now > signedThrough ? now : new Date(Date.parse(signedThrough) + 1).toISOString();

/**
 * Signs that the log continues from an older state than `beyond`, and stores that and `beyond` itself beside the log.
 * All later checkpoints state it.
 */
export async function signRestoration(
  { beyond, proven, signedThrough }: SignedBeyond,
  now: string,
): Promise<StoredNote> {
  const at = after(signedThrough, now);
  const { orgId, size: lost } = beyond;
  const root = toBase64(checkpointOf(beyond).root);
  const origin = originOfOrg(orgId);
  const note = signStatement(origin, restoredText({ origin, proven: proven?.size ?? 0, lost, root, at }));
  const stored: StoredNote = { orgId, kind: "restored", size: lost, signedAt: at, note };
  await keepInMonth(beyond);
  await keepInMonth(stored);
  await asSystem(async (tx) => {
    await insertNote(tx, stored);
    // Earlier restorations stay in every checkpoint.
    for (const { at: before, ...older } of checkpointOf(beyond).restored ?? []) {
      const statement = restoredText({ origin, ...older, at: before });
      const kept = { ...stored, size: older.lost, signedAt: before, note: signStatement(origin, statement) };
      await insertNote(tx, kept);
    }
  });
  await publishNote(stored);
  return stored;
}
