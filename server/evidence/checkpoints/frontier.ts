import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type Anchor, type Break, breakOf } from "@/server/evidence/chain/verifier";
import { toBase64 } from "@/server/evidence/tree/signed-note";
import { isSuperseded, type Restoration } from "@/server/evidence/tree/statement";
import { equalBytes } from "@/server/evidence/tree/tree";
import { damagedTile } from "./damaged-tile";
import { folderKeptThrough, readLatest } from "./folder";
import { readRoot } from "./nodes";
import { listRestorations, newestCheckpoint } from "./note-store";
import { checkpointOf, type StoredNote } from "./stored-note";
import { readEdge, readTiles, TILE_WIDTH, TreeDamage } from "./tiles";
import { loadBuilder, type TreeBuilder } from "./tree-builder";

/** Starting point for extending a tree: its right edge, proven to match our newest checkpoint. */
export type Frontier = {
  head: Anchor | null;
  /** Our newest checkpoint; null before the first. */
  newest: StoredNote | null;
  inFolder: boolean;
  inDatabase: boolean;
  builder: TreeBuilder;
  /** The last leaf; null for an empty tree. */
  lastLeaf: Uint8Array | null;
  /** Restorations of the log, oldest first; every checkpoint lists them. */
  restored: Restoration[];
  /** Faults that do not prevent signing. */
  warnings: Break[];
};

type Notes = {
  newest: StoredNote | null;
  /** Newest in the folder, even if a restoration superseded it. */
  kept: StoredNote | null;
  restored: readonly Restoration[];
  proven: Proven | null;
};
export type Refused = { kind: "refused"; breaks: Break[] };

const refused = (found: Omit<Break, "id">): Refused => ({ kind: "refused", breaks: [breakOf(found)] });

/** Newest row of a chain, according to the database. */
export async function readHead(tx: Tx, orgId: string): Promise<Anchor | null> {
  const [row] = await rowsOf<{ seq: string; checksum: string }>(
    tx,
    sql`SELECT seq, checksum FROM audit_chain_head(${orgId}::uuid)`,
  );
  return row ? { seq: Number(row.seq), checksum: row.checksum } : null;
}

/** Retention updates the row of a tree but never creates one. */
async function beginTree(tx: Tx, orgId: string): Promise<void> {
  if (await readEdge(tx, orgId)) return;
  await tx.execute(sql`INSERT INTO audit_trees (org_id) VALUES (${orgId}) ON CONFLICT DO NOTHING`);
}

/** Break for a log that ends before its checkpoint. */
export const beyondHead = (head: Pick<Anchor, "seq"> | null, newest: StoredNote): Break =>
  breakOf({
    seq: (head?.seq ?? 0) + 1,
    kind: "truncated",
    expected: `rows up to sequence ${newest.size}, which a signed checkpoint of ${newest.signedAt} covers`,
    actual: head ? `the head is at sequence ${head.seq}` : "the chain has no head",
  });

/** Proof by an earlier checkpoint of ours that is no longer in folder or database. */
type Proven = { size: number; at: string };

async function provenBefore(tx: Tx, orgId: string): Promise<Proven | null> {
  const [row] = await rowsOf<{ size: string; ms: string }>(
    tx,
    sql`SELECT covered_through_seq AS size, audit_ms(ran_at) AS ms FROM audit_verifications
      WHERE org_id = ${orgId} AND covered_through_seq > 0 ORDER BY covered_through_seq DESC LIMIT 1`,
  );
  return row ? { size: Number(row.size), at: new Date(Number(row.ms)).toISOString() } : null;
}

const expectedOf = ({ size, at }: Proven): string =>
  `a checkpoint of at least ${size} entries, by which a verification of ${at} proved them`;

const rolledBack = (head: Anchor | null, proven: Proven): Refused =>
  refused({
    seq: (head?.seq ?? 0) + 1,
    kind: "truncated",
    expected: expectedOf(proven),
    actual: head
      ? `no checkpoint, and the head is at sequence ${head.seq}`
      : "no checkpoint, and the chain has no head",
  });

const allLost = (proven: Proven): Break =>
  breakOf({
    seq: proven.size,
    kind: "truncated",
    expected: expectedOf(proven),
    actual: "neither the folder nor the database holds any, so that a rollback can no longer be excluded",
  });

const otherRoot = (note: StoredNote, root: Uint8Array): Break =>
  breakOf({
    seq: note.size,
    kind: "altered",
    expected: `the tree of ${note.size} entries that a checkpoint of ${note.signedAt} signed: ${toBase64(checkpointOf(note).root)}`,
    actual: `tiles and rows give ${toBase64(root)}`,
  });

/** Break for a missing tile or leaf. */
export const missingTile = (size: number, { seq, message }: TreeDamage): Break =>
  breakOf({ seq, kind: "missing", expected: `the tree of ${size} entries`, actual: message });

/** Break for the damaged tile if found, else for the whole tree. */
export const treeBreak = async (tx: Tx, note: StoredNote, root: Uint8Array): Promise<Break> =>
  (await damagedTile(tx, note.orgId)) ?? otherRoot(note, root);

const wrongTree = async (tx: Tx, note: StoredNote, root: Uint8Array): Promise<Refused> => ({
  kind: "refused",
  breaks: [await treeBreak(tx, note, root)],
});

const MIN_AGE_MS = 10 * 60_000;

/** Warns if the folder lacks all notes of an organization that was signed while this folder was in use. */
async function folderWarnings(tx: Tx, orgId: string, newest: StoredNote): Promise<Break[]> {
  const [oldest] = await rowsOf<{ ms: string | null }>(
    tx,
    sql`SELECT audit_ms(min(signed_at)) AS ms FROM audit_notes WHERE org_id = ${orgId} AND kind = 'checkpoint'`,
  );
  if (!oldest?.ms || Number(oldest.ms) > folderKeptThrough() - MIN_AGE_MS) return [];
  return [
    breakOf({
      seq: newest.size,
      kind: "truncated",
      expected: `the newest checkpoint in the data folder; the database's own is of ${newest.size} entries`,
      actual: "the folder holds none, so that a rollback of the database can no longer be excluded",
    }),
  ];
}

/** Warns if there are notes but none signed by a key of this server: the key, or the database, was replaced. */
async function strangerWarnings(tx: Tx, orgId: string): Promise<Break[]> {
  const [row] = await rowsOf<{ size: string | null }>(
    tx,
    sql`SELECT max(size) AS size FROM audit_notes WHERE org_id = ${orgId} AND kind = 'checkpoint'`,
  );
  // Another process may have signed the first one by now.
  if (row?.size == null || (await newestCheckpoint(tx, orgId))) return [];
  const actual = `the newest of the database, of ${row.size} entries, is signed by another key`;
  return [
    breakOf({ seq: Number(row.size), kind: "truncated", expected: "a checkpoint signed by this server's key", actual }),
  ];
}

const warningsOf = async (tx: Tx, orgId: string, { newest, kept, restored, proven }: Notes): Promise<Break[]> => {
  if (!newest && restored.length > 0) return [];
  if (!newest) return [...(await strangerWarnings(tx, orgId)), ...(proven ? [allLost(proven)] : [])];
  return kept ? [] : folderWarnings(tx, orgId, newest);
};

/** Restorations from the database's notes, plus those that only the newest checkpoint has. */
function restorationsOf(restored: readonly Restoration[], newest: StoredNote | null): Restoration[] {
  const claimed = newest ? (checkpointOf(newest).restored ?? []) : [];
  const more = claimed.filter((one) => !restored.some(({ at, lost }) => at === one.at && lost === one.lost));
  return [...restored, ...more].sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** Last leaf of a tree that ends with a full tile; the next row must link to it. */
async function lastLeafOf(tx: Tx, orgId: string, size: number): Promise<Uint8Array> {
  const tiles = await readTiles(tx, orgId, { leavesOf: [Math.floor((size - 1) / TILE_WIDTH)] });
  return tiles.leaf(size - 1);
}

/**
 * Finds where to continue: at the larger of our newest checkpoints in folder and database. The tree, read again, must
 * have the root of both.
 */
export async function findFrontier(tx: Tx, orgId: string): Promise<Frontier | Refused> {
  const restored = await listRestorations(tx, orgId);
  // Reads the head last, so that checkpoints of other processes are never beyond it.
  const kept = await readLatest(orgId);
  const latest = kept && !isSuperseded(kept, restored) ? kept : null;
  const stored = await newestCheckpoint(tx, orgId);
  const head = await readHead(tx, orgId);
  const newest = latest && (!stored || latest.size >= stored.size) ? latest : stored;
  const older = newest === latest ? stored : latest;
  if (newest && newest.size > (head?.seq ?? 0)) return { kind: "refused", breaks: [beyondHead(head, newest)] };
  const proven = newest || restored.length > 0 ? null : await provenBefore(tx, orgId);
  if (proven && proven.size > (head?.seq ?? 0)) return rolledBack(head, proven);
  await beginTree(tx, orgId);
  const size = newest?.size ?? 0;
  try {
    const builder = await loadBuilder(tx, orgId, size);
    if (newest && !equalBytes(builder.root(), checkpointOf(newest).root))
      return await wrongTree(tx, newest, builder.root());
    if (older && older.size < size) {
      const root = await readRoot(tx, orgId, older.size);
      if (!equalBytes(root, checkpointOf(older).root)) return await wrongTree(tx, older, root);
    }
    return {
      head,
      newest,
      builder,
      inFolder: latest !== null && latest.size === size,
      inDatabase: stored !== null && stored.size === size,
      lastLeaf: size > 0 ? (builder.lastLeaf ?? (await lastLeafOf(tx, orgId, size))) : null,
      restored: restorationsOf(restored, newest),
      warnings: await warningsOf(tx, orgId, { newest, kept, restored, proven }),
    };
  } catch (error) {
    if (error instanceof TreeDamage) return { kind: "refused", breaks: [missingTile(size, error)] };
    throw error;
  }
}
