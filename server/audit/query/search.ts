import { type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { conditionsOf } from "./conditions";
import type { Plan } from "./plan";
import { findPosted } from "./postings";
import { clauseOf, type IndexProbe, isIndexed, matchesNothing } from "./probe";
import {
  allOf,
  type Cursor,
  type Found,
  KEY,
  keysByTime,
  Matches,
  NEWEST_FIRST,
  newestKeys,
  olderThan,
  rowsBetween,
} from "./rows";

/**
 * For how long a request looks for rows, in ms. What it has not come to by then its answer says, or counts as many. Tests
 * that compare with every row raise them: how far a request comes in its time is the machine's.
 */
export const searchTime = {
  /** A short text, which no index serves: what an answer to it may take, less what comes before and after. */
  scan: 120,
  /** Facets and histogram. */
  counts: 400,
  /** Whether rows are so many that a recent proof of identity is needed. */
  proof: 2_000,
};

/** How much is looked at a time; blocks are of about eight rows. */
const SIZES = {
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
type Sizes = typeof SIZES;
/** While a clock runs, so that one window does not take all of it. */
const MOST_TIMED = 4_096;

type Block = { org_id: string; first_seq: string; last_seq: string };
/** ms is the time of the block's newest row. */
type TimedBlock = Block & { ms: number };
/** A block of a window; at is its newest row's time as the database wrote it. */
type WindowBlock = TimedBlock & { at: string; matches: boolean; seen: number };
/** What the index is asked for, and the exact conditions on its rows. */
type Search = { orgIds: readonly string[]; probe: IndexProbe; where: SQL; sizes: Sizes };

const bigints = (values: readonly string[]): SQL => sql`${sql.param([...values])}::bigint[]`;

/** Rows that the indexer had not come to when the probe was made. */
async function unindexedKeys(tx: Tx, { probe, where }: Search, need: number): Promise<Found[]> {
  return rowsOf(
    tx,
    sql`SELECT ${KEY} FROM ${layout().eachWith(probe.through)}, ${rowsBetween(sql`o.n`)} WHERE ${where} ${NEWEST_FIRST} LIMIT ${need}`,
  );
}

/** Rows of some blocks that really match: the newest `need`, or all (null). */
async function keysIn(
  tx: Tx,
  blocks: Block[],
  { where, need }: Pick<Search, "where"> & { need: number | null },
): Promise<Found[]> {
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
async function rareBlocks(tx: Tx, { orgIds, probe, sizes }: Search, need: number): Promise<TimedBlock[] | null> {
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
async function walk(
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
async function lookThrough(
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

/** One row in so many: then reading the newest rows is faster than asking the index. */
const FREQUENT = 10;

/**
 * cut: the time was up; the keys are the newest ones, older ones were not looked for. total: how many match, where all
 * were read on the way.
 */
type FoundKeys = { keys: Found[]; cut: boolean; total?: number };
type KeyWindow = {
  after?: Cursor | undefined;
  /** How many of the newest matches are wanted. */
  need: number;
  /** performance.now() after which the walk stops, for filters that no index serves. */
  deadline?: number | undefined;
  /** How many match is wanted besides; without `after`. */
  total?: boolean;
  /** How much is looked at a time, where a test wants less. */
  sizes?: Sizes;
};
type SqlFilter = { orgIds: readonly string[]; conditions: SQL[] };

/** The newest `limit` rows, as many of them as match. */
async function amongNewest(
  tx: Tx,
  { orgIds, conditions }: SqlFilter,
  { after, need, limit }: KeyWindow & { limit: number },
): Promise<Found[]> {
  const newest = newestKeys(orgIds, { conditions: [], after, limit }, sql.raw("a.*"));
  return rowsOf(tx, sql`SELECT ${KEY} FROM (${newest}) a WHERE ${allOf(conditions)} ${NEWEST_FIRST} LIMIT ${need}`);
}

/**
 * A look at a few newest rows of one organization: what many rows meet is found there, or by reading on. Null where
 * matches are too few for that.
 */
async function tryNewest(
  tx: Tx,
  sqlFilter: SqlFilter,
  { sizes, ...window }: KeyWindow & { sizes: Sizes },
): Promise<Found[] | null> {
  const few = await amongNewest(tx, sqlFilter, { ...window, limit: sizes.ahead });
  if (few.length >= window.need) return few;
  if (few.length * FREQUENT < sizes.ahead) return null;
  const limit = Math.ceil(((window.need * sizes.ahead) / few.length) * 2);
  const rows = await amongNewest(tx, sqlFilter, { ...window, limit });
  return rows.length >= window.need ? rows : null;
}

/** The span of a probe ends where the page begins. */
const until = (probe: IndexProbe, after: Cursor | undefined): IndexProbe => {
  const to = after && new Date(after.ms).toISOString();
  return to && (!probe.to || probe.to > to) ? { ...probe, to } : probe;
};

/** floor: where the time was up, in ms; only newer matches are all there. isAll: every match of the blocks was read. */
type Walked = { floor: number | null; isAll: boolean };

/**
 * A first window of the newest blocks shows how frequent matches are. Frequent ones are met by walking on; else the index
 * says where they are, unless its answer is long, which makes walking cheap again.
 */
async function searchBlocks(tx: Tx, search: Search, window: KeyWindow & { matches: Matches }): Promise<Walked> {
  const { need, matches } = window;
  const { sizes } = search;
  const size = Math.min(sizes.most, Math.max(sizes.first, Math.ceil(need / 2)));
  let last = await walk(tx, search, { ...window, from: null, size, windows: 1 });
  // So many blocks hold what is wanted, and half as many again, if the next ones are like these.
  const enough = Math.ceil((1.5 * size * need) / matches.count);
  if (last !== "done" && enough <= sizes.most)
    last = await walk(tx, search, { ...window, from: last, size: Math.max(size * 4, enough), windows: 2 });
  if (last === "done") return { floor: null, isAll: false };
  const rare = isIndexed(search.probe) ? await rareBlocks(tx, search, need) : null;
  if (rare && window.total && rare.length <= sizes.counted) {
    matches.add(await keysIn(tx, rare, { where: search.where, need: null }));
    return { floor: null, isAll: true };
  }
  if (rare) {
    const floor = await lookThrough(tx, search, { ...window, blocks: rare });
    return { floor, isAll: false };
  }
  last = await walk(tx, search, { ...window, from: last, size: size * 4, windows: Number.POSITIVE_INFINITY });
  return { floor: last === "done" || !last ? null : last.ms, isAll: false };
}

/**
 * By blocks of the index, and by reading rows that it has not come to. The cost follows the answer: many matches are met
 * among the newest rows, few by the index.
 */
async function byBlocks(tx: Tx, search: Search, window: KeyWindow): Promise<FoundKeys> {
  const { need } = window;
  const matches = new Matches();
  // Sent together: they are answered in this order, so the walk knows what is not indexed yet.
  const [tail, { floor, isAll }] = await Promise.all([
    unindexedKeys(tx, search, need).then((rows) => {
      matches.add(rows);
      return rows.length;
    }),
    matchesNothing(search.probe) ? { floor: null, isAll: true } : searchBlocks(tx, search, { ...window, matches }),
  ]);
  // Blocks that were not looked at may hold rows as new as the last one seen.
  const keys = matches.newest(need).filter((key) => floor === null || key.ms > floor);
  const isCounted = window.total && isAll && tail < need;
  return { keys, cut: floor !== null, ...(isCounted && { total: matches.count }) };
}

/**
 * The keys of the newest rows that match a filter, newest first, exactly, as its plan finds all of them.
 * @param window where the page begins and how many keys are needed
 */
export async function findKeys(tx: Tx, { orgIds, filter, all }: Plan, window: KeyWindow): Promise<FoundKeys> {
  const { after, need, sizes = SIZES } = window;
  const conditions = conditionsOf(filter);
  if (orgIds.length === 0) return { keys: [], cut: false };
  if (all.kind === "rows")
    return { keys: await keysByTime(tx, orgIds, { conditions, after, limit: need }), cut: false };
  const { probe, isAhead, postings } = all;
  const ahead = isAhead ? await tryNewest(tx, { orgIds, conditions }, { ...window, sizes }) : null;
  const keys = ahead ?? (postings && (await findPosted(tx, { orgIds, filter, postings }, window)));
  if (keys) return { keys, cut: false };
  const where = allOf([...conditions, ...(after ? [olderThan(after)] : [])]);
  return byBlocks(tx, { orgIds, probe: until(probe, after), where, sizes }, window);
}
