import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import type { Place } from "./cursor";
import { conditionsOf, type Question } from "./filters";
import { allOf, before, newestPlaces } from "./row-query";
import {
  type Found,
  KEY,
  type KeyRow,
  lookThrough,
  MAX_WINDOW,
  Matches,
  NEWEST_FIRST,
  rareBlocks,
  run,
  type Search,
  unindexedKeys,
  walk,
} from "./search-blocks";
import { isHopeless, isIndexed, type Needle } from "./search-needle";

/** Rows of the first look along the index by time, which most questions that many rows meet need nothing beyond. */
const PROBE_ROWS = 500;
const FIRST_WINDOW = 256;
const MAX_SEQ = "999999999999999999";
const MAX_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** cut: the time was up, and rows from this place on were not looked at. */
export type FoundKeys = { keys: Found[]; cut: Place | null };
export type KeyWindow = {
  after?: Place | undefined;
  /** How many of the newest matches are wanted. */
  need: number;
  /** performance.now() after which the walk stops, for questions that no index serves. */
  deadline?: number | undefined;
};

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

/**
 * A first window of the newest blocks tells how frequent matches are. Frequent ones are met by walking on; else the index
 * says where they are, unless its answer is long, which makes walking cheap again.
 */
async function searchBlocks(tx: Tx, search: Search, matches: Matches, window: KeyWindow): Promise<Place | null> {
  const { need } = window;
  const size = Math.min(MAX_WINDOW, Math.max(FIRST_WINDOW, Math.ceil(need / 2)));
  let last = await walk(tx, search, { ...window, matches, from: null, size, windows: 1 });
  const frequent = matches.count > 0 && (size * need) / matches.count <= MAX_WINDOW;
  if (last !== "done" && frequent)
    last = await walk(tx, search, { ...window, matches, from: last, size: size * 4, windows: 2 });
  if (last === "done") return null;
  const rare = isIndexed(search.needle) ? await rareBlocks(tx, search) : null;
  if (rare) {
    await lookThrough(tx, search, rare, { matches, need });
    return null;
  }
  last = await walk(tx, search, { ...window, matches, from: last, size: size * 4, windows: Number.POSITIVE_INFINITY });
  return last === "done" || !last ? null : { ms: last.ms, seq: MAX_SEQ, orgId: MAX_UUID };
}
