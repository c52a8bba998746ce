import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { HASH_BYTES } from "@/server/evidence/tree/tree";
import { leafOf } from "./hashing";

/** Hashes per tile (c2sp.org/tlog-tiles), and the height of a tile's subtree. */
export const TILE_WIDTH = 256;
export const TILE_HEIGHT = 8;
export const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

export type TileSpan = { level: number; first: number; last: number };

/** First entry below a tile. */
export const firstBelow = (level: number, idx: number): number => idx * TILE_WIDTH ** (level + 1) + 1;

/** The stored tree is damaged: all tiles or rows from an entry onwards are missing. */
export class TreeDamage extends Error {
  constructor(
    readonly seq: number,
    message: string,
  ) {
    super(message);
  }
}

/** Fetched hashes of one tree; a missing one is damage. */
export type Tiles = {
  /** Root of a full tile. @throws TreeDamage */
  hash: (level: number, idx: number) => Uint8Array;
  /** Leaf hash. @throws TreeDamage */
  leaf: (index: number) => Uint8Array;
};

/** The n-th hash of a byte run. */
const hashAt = (bytes: Uint8Array, at: number): Uint8Array => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);

type TileRow = { level: number; idx: string; hash: Uint8Array; leaves: Uint8Array | null };

/** leavesOf: indexes of level 0 tiles whose individual leaves are needed. */
type Wanted = { spans: readonly TileSpan[]; leavesOf: readonly number[] };

async function readRows(tx: Tx, orgId: string, { spans, leavesOf }: Wanted) {
  const list = (values: readonly number[]) => `{${values.join(",")}}`;
  const hashes = sql`SELECT t.level, t.idx, t.hash, NULL::bytea AS leaves
    FROM unnest(${list(spans.map((s) => s.level))}::smallint[], ${list(spans.map((s) => s.first))}::bigint[],
      ${list(spans.map((s) => s.last))}::bigint[]) AS s (level, first, last)
    JOIN audit_tree_tiles t ON t.org_id = ${orgId} AND t.level = s.level AND t.idx BETWEEN s.first AND s.last`;
  const leaves = sql`SELECT t.level, t.idx, t.hash, t.leaves
    FROM audit_tree_tiles t
    WHERE t.org_id = ${orgId} AND t.level = 0 AND t.idx = ANY(${list(leavesOf)}::bigint[])`;
  const [hashRows, leafRows] = await Promise.all([
    spans.length > 0 ? rowsOf<TileRow>(tx, hashes) : [],
    leavesOf.length > 0 ? rowsOf<TileRow>(tx, leaves) : [],
  ]);
  return { hashes: hashRows, leaves: leafRows };
}

/** Leaf hashes that retention removed from the last tile of a tree; null if no tree exists. */
export async function readEdge(tx: Tx, orgId: string): Promise<Uint8Array | null> {
  const [row] = await rowsOf<{ edge: Uint8Array | null }>(
    tx,
    sql`SELECT edge FROM audit_trees WHERE org_id = ${orgId}`,
  );
  return row ? (row.edge ?? new Uint8Array()) : null;
}

type LooseRow = { seq: string; checksum: string };

/** Rows of a tile that is not stored yet. */
function readLooseRows(tx: Tx, orgId: string, tile: number): Promise<LooseRow[]> {
  const begin = tile * TILE_WIDTH;
  return rowsOf<LooseRow>(
    tx,
    sql`SELECT chain_seq AS seq, checksum FROM audit_logs
      WHERE org_id = ${orgId} AND chain_seq > ${begin} AND chain_seq <= ${begin + TILE_WIDTH}
        AND NOT EXISTS (SELECT FROM audit_tree_tiles WHERE org_id = ${orgId} AND level = 0 AND idx = ${tile})`,
  );
}

/** Leaves of a tile that is not stored yet, from its rows and, for pruned rows, from the edge. */
function looseLeaves(
  rows: readonly LooseRow[],
  { tile, edge }: { tile: number; edge: Uint8Array },
): Map<number, Uint8Array> {
  const begin = tile * TILE_WIDTH;
  const leaves = new Map<number, Uint8Array>();
  for (let at = 0; at * HASH_BYTES < edge.length; at++) leaves.set(begin + at, hashAt(edge, at));
  for (const { seq, checksum } of rows) leaves.set(Number(seq) - 1, leafOf(checksum));
  return leaves;
}

/**
 * Fetches any number of hashes of one organization's tree in at most four pipelined statements. Among tiles whose
 * leaves are needed, only the tree's last may not be stored yet.
 */
export async function readTiles(tx: Tx, orgId: string, { spans = [], leavesOf = [] }: Partial<Wanted>): Promise<Tiles> {
  const newest = leavesOf.length > 0 ? Math.max(...leavesOf) : null;
  // Order matters: a tile that another process stores in between is found by the later statement.
  const [looseRows, edge, rows] = await Promise.all([
    newest === null ? [] : readLooseRows(tx, orgId, newest),
    readEdge(tx, orgId),
    readRows(tx, orgId, { spans, leavesOf }),
  ]);
  const hashes = new Map([...rows.hashes, ...rows.leaves].map((row) => [`${row.level}/${row.idx}`, row.hash]));
  const stored = new Map(rows.leaves.map(({ idx, leaves }) => [Number(idx), leaves as Uint8Array]));
  const isOpen = newest !== null && !stored.has(newest);
  const loose = isOpen
    ? looseLeaves(looseRows, { tile: newest, edge: edge ?? new Uint8Array() })
    : new Map<number, Uint8Array>();
  return {
    hash(level, idx) {
      const hash = hashes.get(`${level}/${idx}`);
      if (!hash) throw new TreeDamage(firstBelow(level, idx), `tile ${level}/${idx} of the tree is not stored`);
      return hash;
    },
    leaf(index) {
      const leaves = stored.get(Math.floor(index / TILE_WIDTH));
      const leaf = leaves ? hashAt(leaves, index % TILE_WIDTH) : loose.get(index);
      if (!leaf) throw new TreeDamage(index + 1, `the leaf of entry ${index + 1} is neither stored nor in the log`);
      return leaf;
    },
  };
}

export type FullTile = { level: number; idx: number; hash: Uint8Array; leaves: Uint8Array | null };

/** Adjacent tiles per statement; the driver sends bytes as text, so these are at most 2 MB. */
const TILES_AT_ONCE = 128;

async function insertRun(tx: Tx, orgId: string, tiles: readonly FullTile[]): Promise<void> {
  const [first] = tiles;
  if (!first) return;
  const hashes = Buffer.concat(tiles.map(({ hash }) => hash));
  const leaves = first.level === 0 ? Buffer.concat(tiles.flatMap((tile) => tile.leaves ?? [])) : null;
  const wanted = sql`SELECT ${orgId}::uuid AS org_id, ${first.level}::smallint AS level, ${first.idx}::bigint + n AS idx,
      substr(${hashes}::bytea, n * ${HASH_BYTES} + 1, ${HASH_BYTES}) AS hash,
      substr(${leaves}::bytea, n * ${TILE_BYTES} + 1, ${TILE_BYTES}) AS leaves
    FROM generate_series(0, ${tiles.length - 1}::int) n`;
  const added = await rowsOf(
    tx,
    sql`INSERT INTO audit_tree_tiles (org_id, level, idx, hash, leaves) ${wanted} ON CONFLICT DO NOTHING RETURNING idx`,
  );
  if (added.length === tiles.length) return;
  const [other] = await rowsOf<{ idx: string }>(
    tx,
    sql`SELECT w.idx FROM (${wanted}) w JOIN audit_tree_tiles t USING (org_id, level, idx)
      WHERE (t.hash, t.leaves) IS DISTINCT FROM (w.hash, w.leaves) ORDER BY w.idx LIMIT 1`,
  );
  if (!other) return;
  const { level } = first;
  const seq = firstBelow(level, Number(other.idx));
  throw new TreeDamage(seq, `tile ${level}/${other.idx} of the tree is stored with other hashes`);
}

/**
 * Adds full tiles in order; one that another process already added must be equal.
 * @throws TreeDamage
 */
export async function insertTiles(tx: Tx, orgId: string, tiles: readonly FullTile[]): Promise<void> {
  for (let level = 0; ; level++) {
    const ofLevel = tiles.filter((tile) => tile.level === level);
    if (ofLevel.length === 0) return;
    for (let at = 0; at < ofLevel.length; at += TILES_AT_ONCE)
      await insertRun(tx, orgId, ofLevel.slice(at, at + TILES_AT_ONCE));
  }
}
