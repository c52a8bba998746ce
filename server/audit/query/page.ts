import type { Tx } from "@/db/client";
import { tenantRead } from "@/db/read";
import type { Ctx } from "@/server/ground/context";
import { type AuditFilter, conditionsOf, isUnfiltered } from "./conditions";
import { countRows } from "./count";
import { type Cursor, decodeCursor, encodeCursor } from "./cursor";
import { type ResolvedFilter, resolveFilter } from "./resolve";
import { ENTRY, type EntryRow, newestRows, rowsByKey } from "./rows";
import { findKeys } from "./search-keys";
import { isShort, scanKeys } from "./search-scan";
import { searchTime } from "./search-time";

/** Deeper pages are read only when there are so many rows, even when the caller does not want the total. */
const MAX_BLIND_OFFSET = 10_000;

export type PageInput = { page: number; limit: number; skipCount: boolean; cursor?: string | undefined };

/** total and totalPages are -1 when the caller skipped the count. */
type Pagination = { page: number; limit: number; total: number; totalPages: number; nextCursor: string | null };

const cursorOf = (row: EntryRow): Cursor => ({ ms: row.ms, seq: row.chain_seq, orgId: row.org_id });

/** The pagination of a page that ends with `last` (null: nothing follows). */
function paginate({ page, limit }: PageInput, total: number, last: Cursor | null): Pagination {
  const totalPages = total < 0 ? -1 : Math.ceil(total / limit);
  return { page, limit, total, totalPages, nextCursor: last && encodeCursor(last) };
}

/** Where a page begins: at a cursor, or so many rows from the newest. */
function startOf({ cursor, page, limit }: PageInput): { after: Cursor | undefined; offset: number } {
  return cursor ? { after: decodeCursor(cursor), offset: 0 } : { after: undefined, offset: (page - 1) * limit };
}

/** The rows of a page and one more, if there is one; and the total (else -1), where it is wanted and all matches were met. */
async function readRows(tx: Tx, resolved: ResolvedFilter, input: PageInput) {
  const { after, offset } = startOf(input);
  const limit = input.limit + 1;
  if (!resolved.probe) {
    const conditions = conditionsOf(resolved.filter);
    const shape = { orgIds: resolved.orgIds, conditions, after, offset, limit, shape: ENTRY };
    return { found: await newestRows(tx, shape), counted: -1 };
  }
  const window = { after, need: offset + limit, total: !after && !input.skipCount };
  const { keys, total = -1 } = await findKeys(tx, resolved, window);
  return { found: await rowsByKey(tx, keys.slice(offset), ENTRY), counted: total };
}

/** The total where a page that its rows did not fill implies it; -1 where it has to be counted. */
function totalBy(input: PageInput, found: EntryRow[]): number {
  const { after, offset } = startOf(input);
  const isLast = found.length <= input.limit && (found.length > 0 || offset === 0);
  return !after && isLast ? offset + found.length : -1;
}

/**
 * The total as it may stand beside the rows: each statement sees the entries that were there when it began, and a count
 * that came before the rows or after them may know fewer or more of them.
 */
async function totalBeside(input: PageInput, found: EntryRow[], count: () => Promise<number>): Promise<number> {
  if (input.skipCount) return -1;
  const implied = totalBy(input, found);
  if (implied >= 0) return implied;
  return Math.max(await count(), found.length > 0 ? startOf(input).offset + found.length : 0);
}

/** truncated: a text too short for the index was looked for among the newest rows only. */
export type Page = { rows: EntryRow[]; pagination: Pagination; truncated?: true };

/**
 * Of a text of one or two characters: the newest rows, as many as the time allows. total counts the matches among them, on
 * every page; a page that the time cut short continues at its cursor.
 */
async function readNewest(tx: Tx, resolved: ResolvedFilter, input: PageInput): Promise<Page> {
  const { after, offset } = startOf(input);
  const end = offset + input.limit;
  const deadline = performance.now() + searchTime.scan;
  const all = { after: undefined, need: Number.POSITIVE_INFINITY, deadline };
  const behind = { after, need: end + 1, deadline };
  const scan = scanKeys(tx, resolved, input.skipCount ? behind : all);
  // Behind a cursor the matches of the pages before it count as well.
  const paged = after && !input.skipCount ? scanKeys(tx, resolved, behind) : scan;
  const [counted, { keys, rest }] = await Promise.all([scan, paged]);
  const rows = await rowsByKey(tx, keys.slice(offset, end), ENTRY);
  const last = keys.length > end ? keys[end - 1] : rest;
  const total = input.skipCount ? -1 : Math.max(counted.keys.length, keys.length);
  const isCut = (rest && keys.length <= end) || (!input.skipCount && counted.rest);
  return { rows, pagination: paginate(input, total, last ?? null), ...(isCut && { truncated: true }) };
}

/**
 * One page of stored rows with its pagination; one row more is read to know whether another page follows.
 * @throws AppError validation_failed for a cursor that is none.
 */
export async function readPage(ctx: Ctx, input: PageInput, filter: AuditFilter): Promise<Page> {
  const { offset } = startOf(input);
  return tenantRead(ctx.scope, async (tx) => {
    const resolved = await resolveFilter(tx, ctx, filter);
    if (isShort(resolved.filter)) return readNewest(tx, resolved, input);
    const before = offset > MAX_BLIND_OFFSET ? await countRows(tx, resolved) : -1;
    // The chain's head knows the total of all rows: it is asked in the same round trip.
    const isKnown = !input.skipCount && before < 0 && isUnfiltered(resolved.filter);
    const [{ found, counted }, known] = await Promise.all([
      before >= 0 && offset >= before ? { found: [], counted: -1 } : readRows(tx, resolved, input),
      isKnown ? countRows(tx, resolved) : before,
    ]);
    const total = await totalBeside(input, found, async () =>
      known >= 0 ? known : counted >= 0 ? counted : countRows(tx, resolved),
    );
    const rows = found.slice(0, input.limit);
    const last = found.length > input.limit ? rows.at(-1) : undefined;
    return { rows, pagination: paginate(input, total, last ? cursorOf(last) : null) };
  });
}
