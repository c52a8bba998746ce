import { type SQL, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { hasRow } from "@/server/audit/search/format";
import { countBits, keepRows, type Matching, NO_ROWS, type Query, rowsIn, without } from "@/server/audit/search/match";
import { matchSegments, readIndex, readTimes, type Segment, SegmentGone } from "@/server/audit/search/store";
import { conditionsOf } from "./conditions";
import { type Deadline, isOver } from "./deadline";
import type { Plan } from "./plan";
import {
  allOf,
  type Cursor,
  type Found,
  KEY,
  type Key,
  keyRows,
  keysByTime,
  Matches,
  NEWEST_FIRST,
  olderThan,
  rowsBetween,
} from "./rows";

/** cut: the time was up, so older rows were not searched. total: number of matches, if requested. */
type FoundKeys = { keys: Found[]; cut: boolean; total?: number };
type KeyWindow = {
  after?: Cursor | undefined;
  /** Number of newest matches requested. */
  need: number;
  /** When the search stops, where many rows have to be read. */
  deadline?: Deadline | undefined;
  /** Counts all matches too; only without `after` and deadline. */
  total?: boolean;
};

/** Rows read at a time to test uncertain matches. */
const CHECKED = 4_000;
/** Lower limit, because some rows do not match. */
const FEWEST_CHECKED = 500;
/** A segment's candidates up to this many are all read, instead of its times or page by page. */
const FEW = { unsure: 200, sure: 16 };
/** Segments read first if no total is requested; each further step reads four times as many. */
const FIRST_SEGMENTS = 4;

const checked = (tx: Tx, keys: readonly Key[], where: SQL): Promise<Found[]> =>
  keys.length === 0
    ? Promise.resolve([])
    : rowsOf(tx, sql`SELECT ${KEY} FROM ${layout().rowsAt(keyRows(keys))} WHERE ${where}`);

const isBehind = (key: Found, { ms, seq, orgId }: Cursor): boolean =>
  key.ms !== ms ? key.ms < ms : key.seq !== seq ? Number(key.seq) < Number(seq) : key.orgId < orgId;

/** Query to the segments; rows up to `pruned` were removed. */
type Search = {
  tx: Tx;
  query: Query;
  where: SQL;
  /** In ms, both ends included. */
  span: { from: number; to: number };
  pruned: ReadonlyMap<string, number>;
  window: KeyWindow;
  matches: Matches;
};

/** Rows of a segment that are in the filter's span and not pruned. */
async function inReach({ tx, span, pruned }: Search, segment: Segment, matching: Matching): Promise<Matching> {
  const { first, oldest, newest, orgId } = segment;
  const cut = (pruned.get(orgId) ?? 0) - first;
  const isInside = oldest >= span.from && newest <= span.to;
  if (cut < 0 && isInside) return matching;
  const times = isInside || countBits(matching.maybe) === 0 ? null : await readTimes(tx, segment);
  const fits = (row: number) => {
    const ms = times?.[row] ?? newest;
    return row > cut && (!times || (ms >= span.from && ms <= span.to));
  };
  return { sure: keepRows(matching.sure, fits), maybe: keepRows(matching.maybe, fits) };
}

const keyOf = ({ orgId, first }: Segment, row: number): Key => ({ orgId, seq: String(first + row) });

/**
 * Adds the newest matches of a segment, up to the number needed.
 * @returns the position at which time ran out; null if the segment was read completely
 */
async function addKeys(search: Search, segment: Segment, { sure, maybe }: Matching): Promise<number | null> {
  const { tx, where, matches } = search;
  const { after, need, deadline } = search.window;
  if (maybe === NO_ROWS) return null;
  const times = await readTimes(tx, segment);
  const toFound = (row: number): Found => ({ ...keyOf(segment, row), ms: times[row] ?? 0 });
  const rows = rowsIn(maybe)
    .filter((row) => !after || isBehind(toFound(row), after))
    .sort((a, b) => (times[b] ?? 0) - (times[a] ?? 0) || b - a);
  const size = Math.min(CHECKED, Math.max(need, FEWEST_CHECKED));
  for (let at = 0, found = 0; at < rows.length && found < need; at += size) {
    if (at > 0 && isOver(deadline)) return times[rows[at] ?? 0] ?? 0;
    const some = rows.slice(at, at + size);
    const open = some.filter((row) => !hasRow(sure, row)).map((row) => keyOf(segment, row));
    const keys = [...some.filter((row) => hasRow(sure, row)).map(toFound), ...(await checked(tx, open, where))];
    matches.add(keys);
    found += keys.length;
  }
  return null;
}

/**
 * Reads the candidates of some segments that need no order: the uncertain ones if all matches are counted, and those of
 * segments with few.
 * @returns the number of matches read, and the candidates left
 */
async function readSome({ tx, where, window, matches }: Search, some: readonly { segment: Segment; rows: Matching }[]) {
  let keys: Key[] = [];
  let read = 0;
  const flush = async () => {
    const found = await checked(tx, keys, where);
    matches.add(found);
    read += found.length;
    keys = [];
  };
  const left: Matching[] = [];
  for (const { segment, rows } of some) {
    const { sure, maybe } = rows;
    const isFew = countBits(maybe) <= (window.total || sure === maybe ? FEW.sure : FEW.unsure);
    left.push(isFew ? { sure: NO_ROWS, maybe: NO_ROWS } : window.total ? { sure, maybe: sure } : rows);
    for (const row of rowsIn(isFew ? maybe : window.total ? without(maybe, sure) : NO_ROWS))
      if (keys.push(keyOf(segment, row)) === CHECKED) await flush();
  }
  await flush();
  return { read, left };
}

/** Searches segments, newest rows first, until enough matches are newer than any row left. */
async function bySegments(search: Search, segments: readonly Segment[]) {
  const { tx, query, matches, window, span } = search;
  const left = segments.filter(({ oldest, newest }) => newest >= span.from && oldest <= span.to);
  const isEnough = (segment: Segment) => matches.newerThan(segment.newest) >= window.need;
  let total = 0;
  for (let at = 0, size = window.total ? left.length : FIRST_SEGMENTS; at < left.length; at += size, size *= 4) {
    const some = left.slice(at, at + size);
    const [next] = some;
    if (!window.total && next && isEnough(next)) break;
    if (at > 0 && next && isOver(window.deadline)) return { total, floor: next.newest };
    const found = await matchSegments(tx, some, query);
    const rows = await Promise.all(
      some.map(async (segment, n) => ({ segment, rows: await inReach(search, segment, found[n] as Matching) })),
    );
    const step = await readSome(search, rows);
    total += step.read;
    for (const [n, segment] of some.entries()) {
      const rest = step.left[n] as Matching;
      total += countBits(rest.sure);
      const cut = isEnough(segment) ? null : await addKeys(search, segment, rest);
      if (cut !== null) return { total, floor: Math.max(cut, left[at + n + 1]?.newest ?? cut) };
    }
  }
  return { total, floor: null };
}

type Asked = Pick<Plan, "orgIds" | "filter"> & { query: Query };

/** Searches the segments, then reads rows not yet in one. */
async function byIndex(tx: Tx, { orgIds, filter, query }: Asked, window: KeyWindow): Promise<FoundKeys> {
  const { after, need } = window;
  const where = allOf([...conditionsOf(filter), ...(after ? [olderThan(after)] : [])]);
  const span = {
    from: filter.from?.getTime() ?? Number.NEGATIVE_INFINITY,
    to: Math.min(filter.to?.getTime() ?? Number.POSITIVE_INFINITY, after?.ms ?? Number.POSITIVE_INFINITY),
  };
  const { segments, pruned, through } = await readIndex(tx, orgIds);
  const rest = sql`${layout().eachWith(through)}, ${rowsBetween(sql`o.n`)} WHERE ${where}`;
  const matches = new Matches();
  matches.add(await rowsOf<Found>(tx, sql`SELECT ${KEY} FROM ${rest} ${NEWEST_FIRST} LIMIT ${need}`));
  const counted = matches.count < need ? matches.count : window.total ? await countOf(tx, rest) : 0;
  const { total, floor } = await bySegments({ tx, query, where, span, pruned, window, matches }, segments);
  // Unread rows may be as new as the last one read.
  const keys = matches.newest(need).filter((key) => floor === null || key.ms > floor);
  return { keys, cut: floor !== null, ...(window.total && { total: total + counted }) };
}

async function countOf(tx: Tx, rows: SQL): Promise<number> {
  const [row] = await rowsOf<{ n: number }>(tx, sql`SELECT count(*)::float8 AS n FROM ${rows}`);
  return row?.n ?? 0;
}

/** Restarts of a search while the indexer replaces segments, before it fails. */
const MOST_TRIES = 5;

/**
 * Keys of the newest matches, newest first, exact.
 * @param window where the page starts and how many keys are needed
 */
export async function findKeys(tx: Tx, plan: Plan, window: KeyWindow): Promise<FoundKeys> {
  const { orgIds, filter, all } = plan;
  const { after, need } = window;
  if (orgIds.length === 0) return { keys: [], cut: false, ...(window.total && { total: 0 }) };
  if (all.kind === "rows")
    return { keys: await keysByTime(tx, orgIds, { conditions: conditionsOf(filter), after, limit: need }), cut: false };
  for (let tries = 1; ; tries++)
    try {
      return await byIndex(tx, { orgIds, filter, query: all.query }, window);
    } catch (error) {
      if (!(error instanceof SegmentGone) || tries === MOST_TRIES) throw error;
    }
}
