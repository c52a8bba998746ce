import { type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { eachWith } from "@/db/citus/each-of";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { clauseOf, type IndexProbe } from "./index-probe";
import { type Key, rowsBetween } from "./rows";

/** How much is looked at a time; blocks are of about eight rows. */
export const SIZES = {
  /** Rows first read along the index by time: enough for most filters that many rows match. */
  ahead: 500,
  /** Blocks of the first look, and of the largest. What the first does not meet is rare enough to ask the index. */
  first: 32,
  most: 16_384,
  /** Up to this many blocks a match is rare: all of them are fetched. */
  rare: 10_000,
  /** Up to this many the rows of all of them are read, where a total is wanted: faster than asking the index once more. */
  counted: 1_500,
};
export type Sizes = typeof SIZES;
/** While a clock runs, so that one window does not take all of it. */
const MOST_TIMED = 4_096;

export type Found = Key & { ms: number };

export type KeyRow = { org_id: string; chain_seq: string; ms: number };
type Block = { org_id: string; first_seq: string; last_seq: string };
/** ms is the time of the block's newest row. */
export type TimedBlock = Block & { ms: number };
/** A block of a window; at is its newest row's time as the database wrote it. */
export type WindowBlock = TimedBlock & { at: string; matches: boolean; seen: number };
/** A resolved filter, and the exact conditions on its rows. */
export type Search = { orgIds: readonly string[]; probe: IndexProbe; where: SQL; sizes: Sizes };

export const KEY = sql.raw(`a.org_id, a.chain_seq, (extract(epoch FROM a."timestamp") * 1000)::float8 AS ms`);
export const NEWEST_FIRST = sql.raw(`ORDER BY a."timestamp" DESC, a.chain_seq DESC, a.org_id DESC`);

/** The matches found so far, each once. */
export class Matches {
  readonly #found = new Map<string, Found>();

  add(rows: KeyRow[]): void {
    for (const row of rows)
      this.#found.set(`${row.org_id}${row.chain_seq}`, { orgId: row.org_id, seq: row.chain_seq, ms: row.ms });
  }

  get count(): number {
    return this.#found.size;
  }

  newest(need: number): Found[] {
    const order = (a: Found, b: Found) => b.ms - a.ms || Number(b.seq) - Number(a.seq) || (a.orgId < b.orgId ? 1 : -1);
    return [...this.#found.values()].sort(order).slice(0, need);
  }

  newerThan(ms: number): number {
    let count = 0;
    for (const key of this.#found.values()) if (key.ms > ms) count++;
    return count;
  }
}

const bigints = (values: readonly string[]): SQL => sql`${sql.param([...values])}::bigint[]`;

/** Rows that the indexer had not come to when the probe was made. */
export async function unindexedKeys(tx: Tx, { probe, where }: Search, need: number): Promise<KeyRow[]> {
  return rowsOf(
    tx,
    sql`SELECT ${KEY} FROM ${eachWith(probe.through)}, ${rowsBetween(sql`o.n`)} WHERE ${where} ${NEWEST_FIRST} LIMIT ${need}`,
  );
}

/** Rows of some blocks that really match: the newest `need`, or all (null). */
export async function keysIn(
  tx: Tx,
  blocks: Block[],
  { where, need }: Pick<Search, "where"> & { need: number | null },
): Promise<KeyRow[]> {
  if (blocks.length === 0) return [];
  const column = (name: keyof Block) => blocks.map((block) => block[name]);
  return rowsOf(
    tx,
    sql`SELECT ${KEY} FROM unnest(${uuids(column("org_id"))}, ${bigints(column("first_seq"))}, ${bigints(column("last_seq"))})
        AS b(org_id, first_seq, last_seq),
      LATERAL (SELECT * FROM audit_logs l WHERE l.org_id = b.org_id AND l.chain_seq BETWEEN b.first_seq AND b.last_seq OFFSET 0) a
      WHERE ${where} ${NEWEST_FIRST} LIMIT ${need}`,
  );
}

/** Every block that can hold a match, newest first, or null when there are many more than are wanted. */
export async function rareBlocks(tx: Tx, { orgIds, probe, sizes }: Search, need: number): Promise<TimedBlock[] | null> {
  const most = Math.max(sizes.rare, need);
  const blocks = await rowsOf<TimedBlock>(
    tx,
    sql`SELECT org_id, first_seq, last_seq, (extract(epoch FROM max_at) * 1000)::float8 AS ms
      FROM audit_search_blocks(${uuids(orgIds)}, ${clauseOf(probe)}::jsonb, false, ${most + 1})`,
  );
  return blocks.length > most ? null : blocks.sort((a, b) => b.ms - a.ms);
}

async function nextWindow(tx: Tx, { orgIds, probe }: Search, { from, size }: Pick<Walk, "from" | "size">) {
  return rowsOf<WindowBlock>(
    tx,
    sql`SELECT org_id, first_seq, last_seq, max_at::text AS at, (extract(epoch FROM max_at) * 1000)::float8 AS ms, matches, seen::int AS seen
      FROM audit_search_window(${uuids(orgIds)}, ${clauseOf(probe)}::jsonb, ${from?.at ?? null}::timestamptz,
        ${from?.org_id ?? null}::uuid, ${from?.first_seq ?? null}::bigint, ${size})`,
  );
}

const isOlder = (a: WindowBlock, b: WindowBlock): boolean =>
  a.ms !== b.ms ? a.ms < b.ms : a.org_id !== b.org_id ? a.org_id < b.org_id : Number(a.first_seq) < Number(b.first_seq);

type Walk = {
  need: number;
  deadline?: number | undefined;
  matches: Matches;
  from: WindowBlock | null;
  size: number;
  windows: number;
};

/**
 * Looks at blocks newest first, a window after the other, until enough matches are newer than any block still unseen.
 * @returns the last block seen when the walk ended early, "done" when what was resolved for is found
 */
export async function walk(
  tx: Tx,
  search: Search,
  { matches, from, size, windows, need, deadline }: Walk,
): Promise<WindowBlock | "done" | null> {
  const { where } = search;
  let last = from;
  let next = size;
  for (let n = 0; n < windows; n++) {
    const blocks = await nextWindow(tx, search, { from: last, size: next });
    const matching = blocks.filter((block) => block.matches);
    matches.add(await keysIn(tx, matching, { where, need }));
    const floor = blocks.reduce<WindowBlock | null>((a, b) => (a && isOlder(a, b) ? a : b), null);
    if (!floor || floor.seen < next || matches.newerThan(floor.ms) >= need) return "done";
    last = floor;
    if (deadline !== undefined && performance.now() > deadline) return last;
    next = Math.min(next * 4, search.sizes.most, deadline === undefined ? search.sizes.most : MOST_TIMED);
  }
  return last;
}

/**
 * Looks at the rows of all blocks there are, newest first, until enough matches are newer than any block left.
 * @returns where the time was up, in ms: only newer matches are all there; null when nothing was left
 */
export async function lookThrough(
  tx: Tx,
  search: Search,
  { blocks, matches, need, deadline }: Pick<Walk, "matches" | "need" | "deadline"> & { blocks: TimedBlock[] },
): Promise<number | null> {
  const { where, sizes } = search;
  let size = sizes.first;
  for (let at = 0; at < blocks.length; size = deadline === undefined ? size * 4 : Math.min(size * 4, MOST_TIMED)) {
    matches.add(await keysIn(tx, blocks.slice(at, at + size), { where, need }));
    at += size;
    const next = blocks[at];
    if (!next || matches.newerThan(next.ms) >= need) return null;
    if (deadline !== undefined && performance.now() > deadline) return next.ms;
  }
  return null;
}
