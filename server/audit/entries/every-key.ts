import { sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { conditionsOf } from "@/server/audit/query/conditions";
import { type Plan, planRows } from "@/server/audit/query/plan";
import { type Cursor, type Found, keysByTime } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import type { Scope } from "@/server/ground/context";

/** Where the chain of each organization ended: entries never change, so those up to there stay what they are. */
export type Heads = Readonly<Record<string, number>>;

/** Keys held at a time over all organizations. */
const HELD_KEYS = 50_000;
const MOST_KEYS = 2_500;
const FEWEST_KEYS = 50;

/** The keys of one organization, as far as they were read. */
type Source = { orgId: string; keys: Found[]; at: number; isRead: boolean };

/** The lists' order, newest first. */
const isNewer = (a: Found, b: Found): boolean =>
  a.ms !== b.ms ? a.ms > b.ms : a.seq !== b.seq ? Number(a.seq) > Number(b.seq) : a.orgId > b.orgId;

type Read = <T>(fn: (tx: Tx) => Promise<T>) => Promise<T>;
/** The next `size` keys, newest first; fewer or none at the end. */
export type NextKeys = (size: number) => Promise<Found[]>;

/**
 * Reads each organization along its own index by time and merges: taking the newest of all in one query would read
 * that many of each organization for every part.
 */
function mergedKeys(read: Read, { orgIds, filter }: Plan, heads: Heads): NextKeys {
  const limit = Math.min(MOST_KEYS, Math.max(FEWEST_KEYS, Math.floor(HELD_KEYS / orgIds.length)));
  const sources: Source[] = orgIds.map((orgId) => ({ orgId, keys: [], at: 0, isRead: false }));
  async function fill(source: Source): Promise<void> {
    const conditions = [...conditionsOf(filter), sql`a.chain_seq <= ${heads[source.orgId] ?? 0}::bigint`];
    const after = source.keys.at(-1);
    const keys = await read((tx) => keysByTime(tx, [source.orgId], { conditions, after, limit }));
    Object.assign(source, { keys, at: 0, isRead: keys.length < limit });
  }
  return async (size) => {
    const found: Found[] = [];
    while (found.length < size) {
      let newest: Source | undefined;
      for (const source of sources) {
        if (source.at === source.keys.length && !source.isRead) await fill(source);
        const [next, best] = [source.keys[source.at], newest?.keys[newest.at]];
        if (next && (!best || isNewer(next, best))) newest = source;
      }
      const key = newest?.keys[newest.at];
      if (!newest || !key) return found;
      newest.at++;
      found.push(key);
    }
    return found;
  };
}

/** By the search index, where it narrows the filter. */
function searchedKeys(read: Read, plan: Plan, heads: Heads): NextKeys {
  let after: Cursor | undefined;
  let isOver = false;
  return async (size) => {
    for (;;) {
      if (isOver) return [];
      const { keys } = await read(async (tx) =>
        findKeys(tx, await planRows(tx, plan.orgIds, plan.filter), { after, need: size }),
      );
      isOver = keys.length < size;
      after = keys.at(-1);
      const settled = keys.filter(({ orgId, seq }) => Number(seq) <= (heads[orgId] ?? 0));
      if (settled.length > 0) return settled;
    }
  };
}

/**
 * The keys of every entry that meets a filter, in the chains up to the given heads, newest first. They come in parts,
 * each read in its own transaction, so their number is not limited.
 */
export function everyKey(scope: Scope, plan: Plan, heads: Heads): NextKeys {
  const read: Read = (fn) => tenant(scope, fn);
  return (plan.all.kind === "keys" ? searchedKeys : mergedKeys)(read, plan, heads);
}
