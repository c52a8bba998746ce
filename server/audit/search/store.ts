import { sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type Bits, Block, type BlockBytes, decodeTimes, type Grams, noBits, splitGrams } from "./format";
import { addRows, allBits, blocksOf, evaluate, type Leaf, leavesOf, type Matching, NO_ROWS, type Query } from "./match";

/** A stored segment: its rows start at sequence `first`; oldest and newest are times in ms. */
export type Segment = { id: string; orgId: string; first: number; rows: number; oldest: number; newest: number };

/**
 * Segments of some organizations, newest rows first; how far each chain was pruned; and how far its segments reach
 * without a gap. Rows behind a gap are read like unindexed ones.
 */
type Index = { segments: Segment[]; pruned: ReadonlyMap<string, number>; through: ReadonlyMap<string, number> };

export async function readIndex(tx: Tx, orgIds: readonly string[]): Promise<Index> {
  const found = await rowsOf<Segment & { pruned: number }>(
    tx,
    sql`SELECT s.id, s.org_id AS "orgId", s.first_seq::float8 AS first, (s.last_seq - s.first_seq + 1)::float8 AS rows,
        (extract(epoch FROM s.oldest_at) * 1000)::float8 AS oldest, (extract(epoch FROM s.newest_at) * 1000)::float8 AS newest,
        h.pruned_through_seq::float8 AS pruned
      FROM audit_chain_heads_of(${uuids(orgIds)}) h JOIN audit_segments s ON s.org_id = h.org_id
      WHERE s.last_seq > h.pruned_through_seq
      ORDER BY s.newest_at DESC`,
  );
  const pruned = new Map(found.map((segment) => [segment.orgId, segment.pruned]));
  const through = new Map(orgIds.map((id) => [id, pruned.get(id) ?? 0]));
  for (const { orgId, first, rows } of found.toSorted((a, b) => a.first - b.first)) {
    const reach = through.get(orgId) ?? 0;
    if (first <= reach + 1) through.set(orgId, Math.max(reach, first + rows - 1));
  }
  return { segments: found.filter(({ orgId, first }) => first <= (through.get(orgId) ?? 0)), pruned, through };
}

/** The indexer replaced a listed segment, so the search restarts. */
export class SegmentGone extends Error {}

const MOST_HELD_BYTES = 32 * 1024 * 1024;
/** Grams and blocks of segments by key, most recently used last: pages and words of one search read the same ones. */
const held = new Map<string, { value: unknown; bytes: number }>();
let heldBytes = 0;

function hold(key: string, value: unknown, bytes: number): void {
  held.set(key, { value, bytes });
  heldBytes += bytes;
  for (const [oldest, one] of held) {
    if (heldBytes <= MOST_HELD_BYTES || oldest === key) return;
    held.delete(oldest);
    heldBytes -= one.bytes;
  }
}

/** Values of some keys: held ones, and the others as read together. */
async function heldOr<T extends { key: string }, V>(
  wanted: readonly T[],
  read: (missing: readonly T[]) => Promise<V[]>,
  sizeOf: (value: V) => number,
): Promise<V[]> {
  const found = new Map<string, V>();
  for (const { key } of wanted) {
    const one = held.get(key);
    if (!one) continue;
    held.delete(key);
    held.set(key, one);
    found.set(key, one.value as V);
  }
  const missing = wanted.filter(({ key }) => !found.has(key));
  const values = missing.length > 0 ? await read(missing) : [];
  for (const [at, { key }] of missing.entries()) {
    const value = values[at] as V;
    found.set(key, value);
    if (!held.has(key)) hold(key, value, sizeOf(value));
  }
  return wanted.map(({ key }) => found.get(key) as V);
}

async function readColumn(tx: Tx, segments: readonly Segment[], column: "grams" | "times") {
  const rows = await rowsOf<{ id: string; data: Uint8Array }>(
    tx,
    sql`SELECT s.id, s.${sql.raw(column)} AS data
      FROM unnest(${uuids(segments.map((s) => s.orgId))}, ${sql.param(segments.map((s) => s.first))}::bigint[]) AS k(org_id, first),
        LATERAL (SELECT * FROM audit_segments x WHERE x.org_id = k.org_id AND x.first_seq = k.first LIMIT 1) s`,
  );
  const data = new Map(rows.map((row) => [row.id, row.data]));
  return segments.map((segment) => {
    const bytes = data.get(segment.id);
    if (!bytes) throw new SegmentGone();
    return bytes;
  });
}

const gramsOf = (tx: Tx, segments: readonly Segment[]): Promise<Grams[][]> =>
  heldOr(
    segments.map((segment) => ({ segment, key: segment.id })),
    async (missing) =>
      (
        await readColumn(
          tx,
          missing.map(({ segment }) => segment),
          "grams",
        )
      ).map(splitGrams),
    (grams) => grams.reduce((sum, { bits }) => sum + bits.length, 0),
  );

/** Times of a segment's rows, in ms. */
export async function readTimes(tx: Tx, segment: Segment): Promise<Float64Array> {
  const [data] = await readColumn(tx, [segment], "times");
  return decodeTimes(data ?? new Uint8Array(), segment.rows);
}

type Place = { segment: Segment; block: number; key: string };
/** Blocks that are read at a time, of some 80 KiB each. */
const MOST_BLOCKS = 64;
const sizeOf = ({ words, postings }: BlockBytes): number => words.length + postings.length;

async function readBlocks(tx: Tx, places: readonly Place[]): Promise<BlockBytes[]> {
  const rows = await rowsOf<BlockBytes>(
    tx,
    sql`SELECT b.words, b.postings
      FROM unnest(${uuids(places.map((p) => p.segment.orgId))}, ${uuids(places.map((p) => p.segment.id))},
        ${sql.param(places.map((p) => p.block))}::int[]) WITH ORDINALITY AS k(org_id, id, block, n),
        LATERAL (SELECT * FROM audit_segment_blocks x WHERE x.org_id = k.org_id AND x.segment_id = k.id AND x.block = k.block LIMIT 1) b
      ORDER BY k.n`,
  );
  if (rows.length < places.length) throw new SegmentGone();
  return rows;
}

/**
 * Rows of some segments that match a query. Reads once each block that its grams cannot exclude.
 * @throws SegmentGone
 */
export async function matchSegments(tx: Tx, segments: readonly Segment[], query: Query): Promise<Matching[]> {
  const grams = await gramsOf(tx, segments);
  const found = segments.map(() => new Map<Leaf, Bits>());
  const places = segments.flatMap((segment, at) => {
    const blocks = new Map(leavesOf(query).map((leaf) => [leaf, blocksOf(leaf, grams[at] ?? [])]));
    const inBlock = new Map<number, Leaf[]>();
    for (const leaf of leavesOf(query, (one) => blocks.get(one)?.length !== 0)) {
      found[at]?.set(leaf, noBits(segment.rows));
      for (const block of blocks.get(leaf) ?? []) inBlock.set(block, [...(inBlock.get(block) ?? []), leaf]);
    }
    return [...inBlock].map(([block, leaves]) => ({ segment, at, block, leaves, key: `${segment.id}/${block}` }));
  });
  for (let next = 0; next < places.length; next += MOST_BLOCKS) {
    const some = places.slice(next, next + MOST_BLOCKS);
    const blocks = await heldOr(some, (missing) => readBlocks(tx, missing), sizeOf);
    for (const [n, { at, leaves }] of some.entries()) {
      const block = new Block(blocks[n] as BlockBytes);
      for (const leaf of leaves) addRows(found[at]?.get(leaf) as Bits, block, leaf);
    }
  }
  return segments.map(({ rows }, at) => evaluate(query, (leaf) => found[at]?.get(leaf) ?? NO_ROWS, allBits(rows)));
}
