import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import type { Place } from "./cursor";
import { conditionsOf, type Question } from "./filters";
import { allOf, before, eachOf, INDEXED_THROUGH, type Key, newestPlaces, rowsBetween } from "./row-query";
import { isHopeless, isIndexed, type Needle } from "./search-needle";

/** Rows of the first look along the index by time, which most questions that many rows meet need nothing beyond. */
const PROBE_ROWS = 500;
/** Up to this many blocks of about eight rows a match is rare: all of them are looked at, in any order. */
const RARE_BLOCKS = 10_000;
const FIRST_WINDOW = 256;
const MAX_WINDOW = 16_384;
/** While a clock runs, so that one window does not take all of it. */
const MAX_TIMED_WINDOW = 4_096;
const MAX_SEQ = "999999999999999999";
const MAX_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

export type Found = Key & { ms: number };
/** cut: the time was up, and rows from this place on were not looked at. */
export type FoundKeys = { keys: Found[]; cut: Place | null };
export type KeyWindow = {
  after?: Place | undefined;
  /** How many of the newest matches are wanted. */
  need: number;
  /** performance.now() after which the walk stops, for questions that no index serves. */
  deadline?: number | undefined;
};

type KeyRow = { org_id: string; chain_seq: string; ms: number };
type Block = { org_id: string; first_seq: string; last_seq: string };
/** A block of a window; at is its newest row's time as the database wrote it. */
type WindowBlock = Block & { at: string; ms: number; matches: boolean; seen: number };
/** Where a question is asked, and the exact conditions on its rows. */
type Search = { orgIds: readonly string[]; needle: Needle; where: SQL };

const KEY = sql.raw(`a.org_id, a.chain_seq, (extract(epoch FROM a."timestamp") * 1000)::float8 AS ms`);
const NEWEST_FIRST = sql.raw(`ORDER BY a."timestamp" DESC, a.chain_seq DESC, a.org_id DESC`);

/** The matches found so far, each once. */
class Matches {
  readonly #found = new Map<string, Found>();

  add(rows: KeyRow[]): void {
    for (const row of rows)
      this.#found.set(`${row.org_id}${row.chain_seq}`, { orgId: row.org_id, seq: row.chain_seq, ms: row.ms });
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

const run = async <Row>(tx: Tx, query: SQL): Promise<Row[]> => (await tx.execute(query)) as unknown as Row[];
const uuids = (values: readonly string[]): SQL => sql`${sql.param([...values])}::uuid[]`;
const bigints = (values: readonly string[]): SQL => sql`${sql.param([...values])}::bigint[]`;

/** Rows that the indexer has not come to yet. */
async function unindexedKeys(tx: Tx, { orgIds, where }: Search, need: number): Promise<KeyRow[]> {
  return run(
    tx,
    sql`SELECT ${KEY} FROM ${eachOf(orgIds)}, ${INDEXED_THROUGH}, ${rowsBetween(sql`i.through`)} WHERE ${where} ${NEWEST_FIRST} LIMIT ${need}`,
  );
}

/** Rows of some blocks that really match. */
async function keysIn(tx: Tx, blocks: Block[], { where }: Search, need: number): Promise<KeyRow[]> {
  if (blocks.length === 0) return [];
  const column = (name: keyof Block) => blocks.map((block) => block[name]);
  return run(
    tx,
    sql`SELECT ${KEY} FROM unnest(${uuids(column("org_id"))}, ${bigints(column("first_seq"))}, ${bigints(column("last_seq"))})
        AS b(org_id, first_seq, last_seq),
      LATERAL (SELECT * FROM audit_logs l WHERE l.org_id = b.org_id AND l.chain_seq BETWEEN b.first_seq AND b.last_seq OFFSET 0) a
      WHERE ${where} ${NEWEST_FIRST} LIMIT ${need}`,
  );
}

/** Every block that can hold a match, or null when there are more than RARE_BLOCKS in an organization. */
async function rareBlocks(tx: Tx, { orgIds, needle }: Search): Promise<Block[] | null> {
  const blocks = await run<Block>(
    tx,
    sql`SELECT org_id, first_seq, last_seq
      FROM audit_search_blocks(${uuids(orgIds)}, ${JSON.stringify(needle)}::jsonb, false, ${RARE_BLOCKS + 1})`,
  );
  return blocks.length > RARE_BLOCKS ? null : blocks;
}

async function nextWindow(tx: Tx, { orgIds, needle }: Search, from: WindowBlock | null, size: number) {
  return run<WindowBlock>(
    tx,
    sql`SELECT org_id, first_seq, last_seq, max_at::text AS at, (extract(epoch FROM max_at) * 1000)::float8 AS ms, matches, seen::int AS seen
      FROM audit_search_window(${uuids(orgIds)}, ${JSON.stringify(needle)}::jsonb, ${from?.at ?? null}::timestamptz,
        ${from?.org_id ?? null}::uuid, ${from?.first_seq ?? null}::bigint, ${size})`,
  );
}

const isOlder = (a: WindowBlock, b: WindowBlock): boolean =>
  a.ms !== b.ms ? a.ms < b.ms : a.org_id !== b.org_id ? a.org_id < b.org_id : Number(a.first_seq) < Number(b.first_seq);

type Walk = KeyWindow & { matches: Matches; from: WindowBlock | null; size: number; windows: number };

/**
 * Looks at blocks newest first, a window after the other, until enough matches are newer than any block still unseen.
 * @returns the last block seen when the walk ended early, "done" when what was asked for is found
 */
async function walk(tx: Tx, search: Search, { matches, from, size, windows, need, deadline }: Walk) {
  let last = from;
  let next = size;
  for (let n = 0; n < windows; n++) {
    const blocks = await nextWindow(tx, search, last, next);
    const matching = blocks.filter((block) => block.matches);
    matches.add(await keysIn(tx, matching, search, need));
    const floor = blocks.reduce<WindowBlock | null>((a, b) => (a && isOlder(a, b) ? a : b), null);
    if (!floor || floor.seen < next || matches.newerThan(floor.ms) >= need) return "done";
    last = floor;
    if (deadline !== undefined && performance.now() > deadline) return last;
    next = Math.min(next * 4, deadline === undefined ? MAX_WINDOW : MAX_TIMED_WINDOW);
  }
  return last;
}

/** Along the index by time: for questions without a needle, and as a first look for the others. */
async function byTime(
  tx: Tx,
  orgIds: readonly string[],
  conditions: SQL[],
  { after, need }: KeyWindow,
): Promise<KeyRow[]> {
  return run(
    tx,
    sql`SELECT ${KEY} FROM (${newestPlaces(orgIds, { conditions, after, limit: need })}) a ${NEWEST_FIRST}`,
  );
}

async function firstLook(tx: Tx, orgId: string, conditions: SQL[], { after, need }: KeyWindow): Promise<KeyRow[]> {
  const newest = newestPlaces([orgId], { conditions: [], after, limit: PROBE_ROWS }, sql.raw("a.*"));
  return run(tx, sql`SELECT ${KEY} FROM (${newest}) a WHERE ${allOf(conditions)} ${NEWEST_FIRST} LIMIT ${need}`);
}

const inOrder = (rows: KeyRow[]): Found[] => rows.map((row) => ({ orgId: row.org_id, seq: row.chain_seq, ms: row.ms }));

/** The span that a needle's blocks must touch ends where the page begins. */
const until = (needle: Needle, after: Place | undefined): Needle => {
  const to = after && new Date(after.ms).toISOString();
  return to && (!needle.to || needle.to > to) ? { ...needle, to } : needle;
};

/**
 * The places of the newest rows that answer a question, newest first, exactly: from blocks of the background index, and
 * from rows it has not come to. The cost follows the answer: many matches are met among the newest rows, few by the index.
 * @param needle needleOf(question)
 */
export async function findKeys(
  tx: Tx,
  { orgIds, question, needle }: { orgIds: readonly string[]; question: Question; needle: Needle | null },
  window: KeyWindow,
): Promise<FoundKeys> {
  const { after, need } = window;
  const conditions = conditionsOf(question);
  if (orgIds.length === 0) return { keys: [], cut: null };
  if (!needle) return { keys: inOrder(await byTime(tx, orgIds, conditions, window)), cut: null };
  if (orgIds.length === 1 && need < PROBE_ROWS && !question.q) {
    const rows = await firstLook(tx, orgIds[0] as string, conditions, window);
    if (rows.length >= need) return { keys: inOrder(rows), cut: null };
  }
  const where = allOf(after ? [...conditions, before(after)] : conditions);
  const search = { orgIds, needle: until(needle, after), where };
  const matches = new Matches();
  matches.add(await unindexedKeys(tx, search, need));
  const cut = isHopeless(needle) ? null : await searchBlocks(tx, search, matches, window);
  // Blocks that were not looked at may hold rows as old as the cut, so what is given out ends there.
  return { keys: matches.newest(need).filter((key) => !cut || key.ms > cut.ms), cut };
}

async function searchBlocks(tx: Tx, search: Search, matches: Matches, window: KeyWindow): Promise<Place | null> {
  const size = Math.min(MAX_WINDOW, Math.max(FIRST_WINDOW, Math.ceil(window.need / 2)));
  const first = await walk(tx, search, { ...window, matches, from: null, size, windows: 1 });
  if (first === "done") return null;
  const rare = isIndexed(search.needle) ? await rareBlocks(tx, search) : null;
  if (rare) {
    matches.add(await keysIn(tx, rare, search, window.need));
    return null;
  }
  const rest = await walk(tx, search, {
    ...window,
    matches,
    from: first,
    size: size * 4,
    windows: Number.POSITIVE_INFINITY,
  });
  return rest === "done" || !rest ? null : { ms: rest.ms, seq: MAX_SEQ, orgId: MAX_UUID };
}
