import { sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type Bits, Block, decodeTimes, type Grams, noBits, splitGrams } from "./format";
import { addRows, allBits, blocksOf, evaluate, type Leaf, leavesOf, type Matching, type Query } from "./match";

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

const MOST_GRAM_BYTES = 32 * 1024 * 1024;
/** Cached grams, most recently used last: six bytes a row spare most searches nearly all reads. */
const held = new Map<string, Grams[]>();
let heldBytes = 0;
const sizeOf = (grams: readonly Grams[]): number => grams.reduce((sum, { bits }) => sum + bits.length, 0);

function hold(id: string, grams: Grams[]): void {
  if (held.delete(id)) heldBytes -= sizeOf(grams);
  held.set(id, grams);
  heldBytes += sizeOf(grams);
  for (const [oldest, bytes] of held) {
    if (heldBytes <= MOST_GRAM_BYTES || oldest === id) return;
    held.delete(oldest);
    heldBytes -= sizeOf(bytes);
  }
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

async function gramsOf(tx: Tx, segments: readonly Segment[]): Promise<Grams[][]> {
  const missing = segments.filter(({ id }) => !held.has(id));
  const read = missing.length > 0 ? await readColumn(tx, missing, "grams") : [];
  const found = new Map(missing.map(({ id }, at) => [id, splitGrams(read[at] ?? new Uint8Array())]));
  return segments.map(({ id }) => {
    const grams = held.get(id) ?? found.get(id) ?? [];
    hold(id, grams);
    return grams;
  });
}

/** Times of a segment's rows, in ms. */
export async function readTimes(tx: Tx, segment: Segment): Promise<Float64Array> {
  const [data] = await readColumn(tx, [segment], "times");
  return decodeTimes(data ?? new Uint8Array(), segment.rows);
}

type Place = { segment: Segment; block: number; leaves: Leaf[] };
/** Blocks that are held at a time, of some 80 KiB each. */
const MOST_BLOCKS = 64;

async function readBlocks(tx: Tx, places: readonly Place[]): Promise<Block[]> {
  const rows = await rowsOf<{ n: number; words: Uint8Array; postings: Uint8Array }>(
    tx,
    sql`SELECT k.n::int AS n, b.words, b.postings
      FROM unnest(${uuids(places.map((p) => p.segment.orgId))}, ${uuids(places.map((p) => p.segment.id))},
        ${sql.param(places.map((p) => p.block))}::int[]) WITH ORDINALITY AS k(org_id, id, block, n),
        LATERAL (SELECT * FROM audit_segment_blocks x WHERE x.org_id = k.org_id AND x.segment_id = k.id AND x.block = k.block LIMIT 1) b
      ORDER BY k.n`,
  );
  if (rows.length < places.length) throw new SegmentGone();
  return rows.map((row) => new Block(row));
}

/**
 * Rows of some segments that match a query. Reads once each block that its grams cannot exclude.
 * @throws SegmentGone
 */
export async function matchSegments(tx: Tx, segments: readonly Segment[], query: Query): Promise<Matching[]> {
  const leaves = leavesOf(query);
  const grams = await gramsOf(tx, segments);
  const found = segments.map(({ rows }) => new Map(leaves.map((leaf) => [leaf, noBits(rows)] as [Leaf, Bits])));
  const places = segments.flatMap((segment, at) => {
    const inBlock = new Map<number, Leaf[]>();
    for (const leaf of leaves)
      for (const block of blocksOf(leaf, grams[at] ?? [])) inBlock.set(block, [...(inBlock.get(block) ?? []), leaf]);
    return [...inBlock].map(([block, some]) => ({ segment, at, block, leaves: some }));
  });
  for (let next = 0; next < places.length; next += MOST_BLOCKS) {
    const some = places.slice(next, next + MOST_BLOCKS);
    for (const [n, block] of (await readBlocks(tx, some)).entries())
      for (const leaf of some[n]?.leaves ?? []) {
        const bits = found[some[n]?.at ?? 0]?.get(leaf);
        if (bits) addRows(bits, block, leaf);
      }
  }
  return segments.map(({ rows }, at) => evaluate(query, (leaf) => found[at]?.get(leaf) ?? noBits(rows), allBits(rows)));
}
