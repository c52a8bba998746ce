import { sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { type Tx, tenant } from "@/db/client";
import { tenantRead } from "@/db/read";
import { rowsOf } from "@/db/rows";
import { type AuditFilter, conditionsOf } from "@/server/audit/query/conditions";
import { countRows } from "@/server/audit/query/count";
import { type Plan, planFor, planRows } from "@/server/audit/query/plan";
import { type Cursor, type Found, type Key, keysByTime, rowsByKey, type Shape } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import type { Ctx, Scope } from "@/server/ground/context";

/** Rows and bytes of details per read; memory holds twice as much: one chunk being read and one being written. */
export const MAX_ROWS = 500;
const CHUNK_BYTES = 512 * 1024;

/** Number of rows to read next, from the average size so far. */
const nextSize = (rows: number, bytes: number): number =>
  Math.max(1, Math.min(MAX_ROWS, Math.floor((CHUNK_BYTES * rows) / (bytes + 1))));

/**
 * Fixes the rows that match a filter in one snapshot, with the query of the lists, so that an export equals its screen.
 * @returns keys of the newest `max` rows, and the number of all matches
 */
export const settleRows = (ctx: Ctx, filter: AuditFilter, max: number): Promise<{ keys: Key[]; total: number }> =>
  tenantRead(ctx.scope, async (tx) => {
    const plan = await planFor(tx, ctx, filter);
    const { keys } = await findKeys(tx, plan, { need: max + 1 });
    const total = keys.length > max ? Math.max(keys.length, await countRows(tx, plan)) : keys.length;
    return { keys: keys.slice(0, max), total };
  });

export type SizedRow = { org_id: string; ms: number; chain_seq: string; details: string | null };

/** Bytes of details, the largest part of a row. */
const bytesOf = (rows: SizedRow[]): number => rows.reduce((sum, row) => sum + (row.details?.length ?? 0), 0);

/**
 * Reads settled rows in chunks, the next one while the last is written. Each chunk has its own transaction, so a slow
 * client holds no connection. Rows pruned in the meantime are skipped.
 */
export async function* eachChunk<R extends SizedRow>(
  ctx: Ctx,
  keys: readonly Key[],
  shape: Shape<R>,
): AsyncGenerator<R[]> {
  let at = 0;
  const next = (size: number): Promise<R[]> => {
    const some = keys.slice(at, at + size);
    at += size;
    const chunk = some.length === 0 ? Promise.resolve([]) : tenantRead(ctx.scope, (tx) => rowsByKey(tx, some, shape));
    chunk.catch(() => {}); // The reader awaits the error; without a reader it would be an unhandled rejection.
    return chunk;
  };
  for (let coming = next(MAX_ROWS); ; ) {
    const chunk = await coming;
    if (chunk.length === 0) return;
    coming = next(nextSize(chunk.length, bytesOf(chunk)));
    yield chunk;
  }
}

/** Last sequence of each organization's chain: entries up to it never change. */
export type Heads = Readonly<Record<string, number>>;

const HELD_KEYS = 50_000;
const MOST_KEYS = 2_500;
const FEWEST_KEYS = 50;

/** Keys of one organization read so far. */
type Source = { orgId: string; keys: Found[]; at: number; isRead: boolean };

const isNewer = (a: Found, b: Found): boolean =>
  a.ms !== b.ms ? a.ms > b.ms : a.seq !== b.seq ? Number(a.seq) > Number(b.seq) : a.orgId > b.orgId;

type Read = <T>(fn: (tx: Tx) => Promise<T>) => Promise<T>;
/** Returns the next `size` keys, newest first; fewer or none at the end. */
type NextKeys = (size: number) => Promise<Found[]>;

/**
 * Reads each organization by its own time index and merges the results: one query for the newest of all would read that
 * many rows of each organization every time.
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
 * Keys of every match, newest first, in the chains up to the given heads. Read in parts, each in its own transaction,
 * so the number is unlimited.
 */
function everyKey(scope: Scope, plan: Plan, heads: Heads): NextKeys {
  const read: Read = (fn) => tenant(scope, fn);
  return (plan.all.kind === "keys" ? searchedKeys : mergedKeys)(read, plan, heads);
}

/** Entries of an export: the matches up to the heads; total counts them. */
export type Snapshot = { heads: Heads; total: number };

/** Takes the current heads of the chains in reach and counts the matches. */
export const takeSnapshot = (ctx: Ctx, filter: AuditFilter): Promise<Snapshot> =>
  tenant(ctx.scope, async (tx) => {
    const plan = await planFor(tx, ctx, filter);
    const heads = await headsOf(tx, plan.orgIds);
    return { heads, total: await countRows(tx, plan) };
  });

async function headsOf(tx: Tx, orgIds: readonly string[]): Promise<Heads> {
  const rows = await rowsOf<{ org_id: string; seq: string }>(
    tx,
    sql`SELECT h.org_id, h.seq::text AS seq FROM audit_chain_heads_of(${uuids(orgIds)}) h`,
  );
  return Object.fromEntries(rows.map((row) => [row.org_id, Number(row.seq)]));
}

/**
 * Every entry of a snapshot, newest first, one chunk in memory at a time. Entries pruned in the meantime are skipped.
 * Reading again gives the same entries.
 */
export async function* everyRow<R extends SizedRow>(
  ctx: Ctx,
  { filter, heads }: { filter: AuditFilter; heads: Heads },
  shape: Shape<R>,
): AsyncGenerator<R[]> {
  const plan = await tenant(ctx.scope, (tx) => planFor(tx, ctx, filter));
  const next = everyKey(ctx.scope, plan, heads);
  for (let size = MAX_ROWS; ; ) {
    const keys = await next(size);
    if (keys.length === 0) return;
    const rows = await tenant(ctx.scope, (tx) => rowsByKey(tx, keys, shape));
    if (rows.length === 0) continue;
    size = nextSize(rows.length, bytesOf(rows));
    yield rows;
  }
}
