import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { conditionsOf, hasText } from "./conditions";
import type { Cursor } from "./cursor";
import { type IndexProbe, isIndexed, matchesNothing } from "./index-probe";
import { findPosted } from "./postings";
import type { ResolvedFilter } from "./resolve";
import { allOf, newestKeys, olderThan } from "./rows";
import {
  type Found,
  KEY,
  type KeyRow,
  keysIn,
  lookThrough,
  Matches,
  NEWEST_FIRST,
  rareBlocks,
  type Search,
  SIZES,
  type Sizes,
  unindexedKeys,
  walk,
} from "./search-blocks";

/** One row in so many: then reading the newest rows is faster than asking the index. */
const FREQUENT = 10;

/**
 * cut: the time was up; the keys are the newest ones, older ones were not looked for. total: how many match, where all
 * were read on the way.
 */
export type FoundKeys = { keys: Found[]; cut: boolean; total?: number };
export type KeyWindow = {
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

/** Along the index by time: for filters without a probe, and as a first attempt for the others. */
async function byTime(tx: Tx, { orgIds, conditions }: SqlFilter, { after, need }: KeyWindow): Promise<KeyRow[]> {
  return rowsOf(
    tx,
    sql`SELECT ${KEY} FROM (${newestKeys(orgIds, { conditions, after, limit: need })}) a ${NEWEST_FIRST}`,
  );
}

/** The newest `limit` rows, as many of them as match. */
async function amongNewest(
  tx: Tx,
  { orgIds, conditions }: SqlFilter,
  { after, need, limit }: KeyWindow & { limit: number },
): Promise<KeyRow[]> {
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
): Promise<KeyRow[] | null> {
  const few = await amongNewest(tx, sqlFilter, { ...window, limit: sizes.ahead });
  if (few.length >= window.need) return few;
  if (few.length * FREQUENT < sizes.ahead) return null;
  const limit = Math.ceil(((window.need * sizes.ahead) / few.length) * 2);
  const rows = await amongNewest(tx, sqlFilter, { ...window, limit });
  return rows.length >= window.need ? rows : null;
}

const inOrder = (rows: KeyRow[]): Found[] => rows.map((row) => ({ orgId: row.org_id, seq: row.chain_seq, ms: row.ms }));

/** The span of a probe ends where the page begins. */
const until = (probe: IndexProbe, after: Cursor | undefined): IndexProbe => {
  const to = after && new Date(after.ms).toISOString();
  return to && (!probe.to || probe.to > to) ? { ...probe, to } : probe;
};

/**
 * The keys of the newest rows that match a filter, newest first, exactly: from blocks of the background index, and
 * from rows it has not come to. The cost follows the answer: many matches are met among the newest rows, few by the index.
 * @param window where the page begins and how many keys are needed
 */
export async function findKeys(
  tx: Tx,
  { orgIds, filter, probe }: ResolvedFilter,
  window: KeyWindow,
): Promise<FoundKeys> {
  const { after, need, sizes = SIZES } = window;
  const sqlFilter = { orgIds, conditions: conditionsOf(filter) };
  if (orgIds.length === 0) return { keys: [], cut: false };
  if (!probe) return { keys: inOrder(await byTime(tx, sqlFilter, window)), cut: false };
  if (orgIds.length === 1 && !hasText(filter)) {
    const rows = await tryNewest(tx, sqlFilter, { ...window, sizes });
    if (rows) return { keys: inOrder(rows), cut: false };
  }
  const posted = await findPosted(tx, { orgIds, filter }, window);
  if (posted) return { keys: posted, cut: false };
  const where = allOf([...sqlFilter.conditions, ...(after ? [olderThan(after)] : [])]);
  const search = { orgIds, probe: until(probe, after), where, sizes };
  const matches = new Matches();
  // Sent together: they are answered in this order, so the walk knows what is not indexed yet.
  const [tail, { floor, isAll }] = await Promise.all([
    unindexedKeys(tx, search, need).then((rows) => {
      matches.add(rows);
      return rows.length;
    }),
    matchesNothing(probe) ? { floor: null, isAll: true } : searchBlocks(tx, search, { ...window, matches }),
  ]);
  // Blocks that were not looked at may hold rows as new as the last one seen.
  const keys = matches.newest(need).filter((key) => floor === null || key.ms > floor);
  const isCounted = window.total && isAll && tail < need;
  return { keys, cut: floor !== null, ...(isCounted && { total: matches.count }) };
}

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
