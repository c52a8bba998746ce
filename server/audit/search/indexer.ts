import { isDeepStrictEqual } from "node:util";
import type postgres from "postgres";
import { appSql } from "@/db/client";
import { CopyBinaryReader, type CopyRow, lengthOf, startOf } from "@/db/copy/copy-binary";
import { drain } from "@/db/copy/drain";
import { newId } from "@/server/ground/ids";
import { type IndexedRow, mergeSegments, type Part, SegmentBuilder } from "./build";
import { advanceFirstSeen, emptyFirstSeen, findOtherFirstSeen } from "./first-seen";
import type { BlockBytes, SegmentBytes } from "./format";

/** Rows per step, and in the smallest segment. */
const MAX_STEP_ROWS = 8_192;
const MIN_ROWS = 128;
/** Characters at which a segment ends, so that very large rows do not fill the memory. */
const MOST_LETTERS = 16 * 1024 * 1024;
const MOST_PARTS = 64;
/** Segments shorter than a tier are merged once they reach it together. */
const TIERS = [1_024, 8_192, 65_536];

/** Columns of a binary COPY, after the sequence and the time; texts are their bytes. */
const TEXTS = {
  action: "action",
  result: "result",
  actorType: "actor_type",
  actorId: "actor_id::text",
  rawActorId: "details ->> 'rawActorId'",
  email: "actor_email",
  resourceType: "resource_type",
  resourceId: "resource_id::text",
  resourceName: "resource_name",
  address: "ip_address",
  submitted: "CASE WHEN details ? 'submittedBy' THEN '' END",
  error: "error_message",
  details: "details::text",
} as const satisfies Record<Exclude<keyof IndexedRow, "ms">, string>;
const NAMES = Object.keys(TEXTS);
const COLUMNS = ["chain_seq", `(extract(epoch FROM "timestamp") * 1000)::float8`, ...Object.values(TEXTS)];

function toRow(row: CopyRow): IndexedRow {
  const text = (at: number) => {
    const [start, length] = [startOf(row, at), lengthOf(row, at)];
    return length < 0 ? null : row.data.toString("utf8", start, start + length);
  };
  const found: Record<string, number | string | null> = { ms: row.data.readDoubleBE(startOf(row, 1)) };
  for (let at = 0; at < NAMES.length; at++) found[NAMES[at] as string] = text(at + 2);
  return found as IndexedRow;
}

type Span = { first: number; last: number };
const WHOLE: Span = { first: 0, last: Number.MAX_SAFE_INTEGER };
type Sql = postgres.TransactionSql;

/** Builds segments from rows of a chain: one, unless rows are very large. */
async function buildSegments(tx: Sql, orgId: string, { first, last }: Span): Promise<SegmentBytes[]> {
  const built: SegmentBytes[] = [];
  let builder = new SegmentBuilder(first);
  const skipTo = (seq: number) => {
    while (builder.first + builder.rows < seq) builder.skip();
  };
  const reader = new CopyBinaryReader(COLUMNS.length, (row) => {
    skipTo(Number(row.data.readBigInt64BE(startOf(row, 0))));
    builder.add(toRow(row));
    if (builder.size < MOST_LETTERS) return;
    built.push(builder.finish());
    builder = new SegmentBuilder(builder.first + builder.rows);
  });
  const copy = tx.unsafe(`COPY (SELECT ${COLUMNS.join(", ")} FROM audit_logs
    WHERE org_id = '${orgId.replace(/[^0-9a-f-]/gi, "")}' AND chain_seq BETWEEN ${first} AND ${last}
    ORDER BY audit_logs.chain_seq) TO STDOUT (FORMAT binary)`);
  await drain(await copy.readable(), (chunk) => reader.push(chunk));
  skipTo(last + 1);
  return builder.rows > 0 ? [...built, builder.finish()] : built;
}

async function storeSegment(tx: Sql, orgId: string, segment: SegmentBytes): Promise<void> {
  const { first, rows, oldest, newest, actions, times, grams, blocks } = segment;
  const id = newId();
  await tx`INSERT INTO audit_segments (org_id, first_seq, last_seq, id, oldest_at, newest_at, actions, times, grams)
    VALUES (${orgId}, ${first}, ${first + rows - 1}, ${id}, ${new Date(oldest).toISOString()}, ${new Date(newest).toISOString()}, ${actions}, ${times}, ${grams})`;
  for (const [block, { words, postings }] of blocks.entries())
    await tx`INSERT INTO audit_segment_blocks (org_id, segment_id, block, words, postings)
      VALUES (${orgId}, ${id}, ${block}, ${words}, ${postings})`;
}

/** Deletes the segments that start at or after one sequence and end by another. */
async function deleteSegments(tx: Sql, orgId: string, { first, last }: Span): Promise<void> {
  await tx`WITH gone AS (
      DELETE FROM audit_segments WHERE org_id = ${orgId} AND first_seq >= ${first} AND last_seq <= ${last} RETURNING id)
    DELETE FROM audit_segment_blocks WHERE org_id = ${orgId} AND segment_id IN (SELECT id FROM gone)`;
}

type Stored = { id: string; first: number; rows: number; bytes: number };

/** Segments of a chain that start in a span, last first. */
const readSegments = (tx: Sql, orgId: string, { first, last, limit }: Span & { limit?: number }) =>
  tx<Stored[]>`SELECT s.id, s.first_seq::float8 AS first, (s.last_seq - s.first_seq + 1)::float8 AS rows, (
      SELECT sum(length(b.words) + length(b.postings))::float8 FROM audit_segment_blocks b
      WHERE b.org_id = s.org_id AND b.segment_id = s.id) AS bytes
    FROM audit_segments s WHERE s.org_id = ${orgId} AND s.first_seq BETWEEN ${first} AND ${last}
    ORDER BY s.first_seq DESC LIMIT ${limit ?? null}`;

type StoredSegment = Omit<SegmentBytes, "first" | "rows" | "blocks">;

async function readPart(tx: Sql, orgId: string, { id, first, rows }: Stored): Promise<SegmentBytes> {
  const [segment] = await tx<StoredSegment[]>`
    SELECT times, grams, actions, (extract(epoch FROM oldest_at) * 1000)::float8 AS oldest,
      (extract(epoch FROM newest_at) * 1000)::float8 AS newest
    FROM audit_segments WHERE org_id = ${orgId} AND first_seq = ${first}`;
  const blocks = await tx<BlockBytes[]>`
    SELECT words, postings FROM audit_segment_blocks WHERE org_id = ${orgId} AND segment_id = ${id} ORDER BY block`;
  if (!segment) throw new Error(`segment ${first} of ${orgId} is gone`);
  return { ...segment, first, rows, blocks: [...blocks] };
}

/** Merges the last segments of a chain once they are long enough. */
async function mergeLast(tx: Sql, orgId: string): Promise<void> {
  for (const tier of TIERS) {
    const last = await readSegments(tx, orgId, { ...WHOLE, limit: MOST_PARTS });
    const run: Stored[] = [];
    let [rows, bytes] = [0, 0];
    for (const one of last) {
      bytes += one.bytes;
      if (one.rows >= tier || bytes > MOST_LETTERS) break;
      rows += one.rows;
      run.unshift(one);
    }
    const [first] = run;
    if (!first || run.length < 2 || rows < tier) continue;
    const parts: Part[] = [];
    for (const one of run) parts.push(await readPart(tx, orgId, one));
    await deleteSegments(tx, orgId, { first: first.first, last: first.first + rows - 1 });
    await storeSegment(tx, orgId, mergeSegments(parts));
  }
}

/** Indexer lock: one process at a time writes segments and tallies. */
const LOCK = [110, 1] as const;

const asIndexer = <T>(work: (tx: Sql) => Promise<T>, isolation = "read committed"): Promise<T> =>
  appSql().begin(`isolation level ${isolation}`, async (tx) => {
    await tx`SELECT set_config('trailmark.scope', 'system', true)`;
    return work(tx);
  }) as Promise<T>;

/**
 * One step of the indexer in a chain: follow retention, index the next rows, count, store first sightings.
 * @returns rows advanced by segments or counts, the larger; null while another process works on it
 */
export const indexChain = (orgId: string, most = MAX_STEP_ROWS): Promise<number | null> =>
  asIndexer(async (tx) => {
    const [lock] = await tx<
      { isFree: boolean }[]
    >`SELECT pg_try_advisory_xact_lock(${LOCK[0]}, ${LOCK[1]}) AS "isFree"`;
    if (!lock?.isFree) return null;
    const [head] = await tx<{ seq: number; pruned: number }[]>`
      SELECT seq::float8 AS seq, pruned_through_seq::float8 AS pruned FROM audit_chain_heads_of(ARRAY[${orgId}]::uuid[])`;
    if (!head) return 0;
    const [tallied] = await tx<{ rows: number }[]>`SELECT audit_tally_advance(${orgId})::float8 AS rows`;
    const noted = await advanceFirstSeen(tx, { orgId, ...head }, most);
    const others = Math.max(tallied?.rows ?? 0, noted);
    await deleteSegments(tx, orgId, { first: 0, last: head.pruned });
    const [newest] = await readSegments(tx, orgId, { ...WHOLE, limit: 1 });
    const first = Math.max(newest ? newest.first + newest.rows - 1 : 0, head.pruned) + 1;
    const last = Math.min(head.seq, first + most - 1);
    const rows = last - first + 1;
    if (rows < MIN_ROWS) return others;
    for (const segment of await buildSegments(tx, orgId, { first, last })) await storeSegment(tx, orgId, segment);
    await mergeLast(tx, orgId);
    return Math.max(rows, others);
  });

/**
 * Rebuilds the segments that start in a part of a chain and compares them; skips one that retention has cut.
 * @returns first sequences of segments that differ from their rows
 */
export const findDamage = (orgId: string, span: Span): Promise<number[]> =>
  asIndexer(async (tx) => {
    const [head] = await tx<{ pruned: number }[]>`
      SELECT pruned_through_seq::float8 AS pruned FROM audit_chain_heads_of(ARRAY[${orgId}]::uuid[])`;
    const first = Math.max(span.first, (head?.pruned ?? 0) + 1);
    const damaged: number[] = [];
    for (const stored of await readSegments(tx, orgId, { first, last: span.last })) {
      const built = await buildSegments(tx, orgId, { first: stored.first, last: stored.first + stored.rows - 1 });
      const [only] = built;
      const expected = only && built.length === 1 ? only : mergeSegments(built);
      if (!isDeepStrictEqual(expected, await readPart(tx, orgId, stored))) damaged.unshift(stored.first);
    }
    return damaged;
  }, "repeatable read");

/** Counted slices of a chain and the next sequence; null if the tallies have yet to follow retention. */
async function readSlices(tx: Sql, orgId: string): Promise<{ slices: Span[]; first: number; next: number } | null> {
  const [state] = await tx<{ first: number; next: number }[]>`
    SELECT h.pruned_through_seq::float8 + 1 AS first, coalesce(s.tallied_through_seq, 0)::float8 + 1 AS next
    FROM audit_chain_heads_of(ARRAY[${orgId}]::uuid[]) h LEFT JOIN audit_tally_state s ON s.org_id = h.org_id
    WHERE h.pruned_through_seq = coalesce(s.pruned_through_seq, 0)`;
  const slices = await tx<Span[]>`
    SELECT first_seq::float8 AS first, last_seq::float8 AS last FROM audit_tallies WHERE org_id = ${orgId}
    UNION SELECT first_seq, last_seq FROM audit_actor_tallies WHERE org_id = ${orgId} ORDER BY 1, 2`;
  return state ? { ...state, slices: [...slices] } : null;
}

const locked = (tx: Sql) => tx`SELECT pg_advisory_xact_lock(${LOCK[0]}, ${LOCK[1]})`;

/**
 * Recounts the slices that start in a part of a chain, and its first sightings.
 * @returns first sequences of those that differ from their rows, and of gaps between slices
 */
export async function findOtherCounts(orgId: string, span: Span): Promise<number[]> {
  const found = await asIndexer((tx) => readSlices(tx, orgId), "repeatable read");
  const others = await asIndexer((tx) => findOtherFirstSeen(tx, orgId, span), "repeatable read");
  if (!found) return others;
  const ends = [...found.slices, { first: found.next, last: 0 }];
  for (const [at, { first }] of ends.entries())
    if (first !== (ends[at - 1]?.last ?? found.first - 1) + 1) others.push(first);
  for (const { first, last } of found.slices) {
    if (first < span.first || first > span.last) continue;
    const again = await asIndexer(async (tx) => {
      await locked(tx);
      return tx<{ isOther: boolean }[]>`SELECT audit_tally_again(${orgId}, ${first}, ${last}) AS "isOther"`;
    });
    if (again[0]?.isOther) others.push(first);
  }
  return others;
}

/** Empties the index of a chain, so that its rows are read until it is rebuilt. */
export const emptyIndex = (orgId: string): Promise<void> =>
  asIndexer(async (tx) => {
    await locked(tx);
    await deleteSegments(tx, orgId, WHOLE);
    await tx`SELECT audit_tally_forget(${orgId})`;
    await emptyFirstSeen(tx, orgId);
  });
