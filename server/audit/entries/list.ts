import { type Tx, tenant } from "@/db/client";
import { countRows } from "@/server/audit/query/count";
import { decodeCursor, encodeCursor, type Place } from "@/server/audit/query/cursor";
import { conditionsOf, type Question } from "@/server/audit/query/filters";
import { type EntryRow, newestRows, reachedBy, rowsOf } from "@/server/audit/query/row-query";
import { findKeys } from "@/server/audit/query/search-keys";
import { type Needle, needleOf } from "@/server/audit/query/search-needle";
import type { FlatPage, FullPage, ListInput, Pagination } from "@/server/audit/schema";
import type { Ctx } from "@/server/context";
import { toFlatEntry, toFullEntry } from "./to-entry";

/** Pages that lie deeper are asked for only when there are so many rows, even when the caller does not want the total. */
const MAX_BLIND_OFFSET = 10_000;

type PageInput = Pick<ListInput, "page" | "limit" | "skipCount" | "cursor">;
/** A question with the organizations and the needle that belong to it. */
export type Asked = { orgIds: readonly string[]; question: Question; needle: Needle | null };

export async function ask(tx: Tx, ctx: Ctx, question: Question): Promise<Asked> {
  const orgIds = await reachedBy(tx, ctx.scope);
  return { orgIds, question, needle: await needleOf(tx, orgIds, question) };
}

const placeOf = (row: EntryRow): Place => ({ ms: row.ms, seq: row.chain_seq, orgId: row.org_id });

/** The pagination of a page that ends with `last` (null: nothing follows). */
export function paginate({ page, limit }: PageInput, total: number, last: Place | null): Pagination {
  const totalPages = total < 0 ? -1 : Math.ceil(total / limit);
  return { page, limit, total, totalPages, nextCursor: last && encodeCursor(last) };
}

/** Where a page begins: at a cursor, or so many rows from the newest. */
export function startOf({ cursor, page, limit }: PageInput): { after: Place | undefined; offset: number } {
  return cursor ? { after: decodeCursor(cursor), offset: 0 } : { after: undefined, offset: (page - 1) * limit };
}

/** The rows of a page and one more, if there is one. */
async function readRows(tx: Tx, asked: Asked, input: PageInput): Promise<EntryRow[]> {
  const { after, offset } = startOf(input);
  const limit = input.limit + 1;
  if (!asked.needle)
    return newestRows(tx, asked.orgIds, { conditions: conditionsOf(asked.question), after, offset, limit });
  const { keys } = await findKeys(tx, asked, { after, need: offset + limit });
  return rowsOf(tx, keys.slice(offset));
}

/** A page that its rows did not fill tells the total itself; -1 where it has to be counted. */
function totalBy(input: PageInput, found: EntryRow[]): number {
  const { after, offset } = startOf(input);
  const isLast = found.length <= input.limit && (found.length > 0 || offset === 0);
  return !after && isLast ? offset + found.length : -1;
}

/** One page of stored rows with its pagination; one row more is read to know whether another page follows. */
export async function readPage(
  ctx: Ctx,
  input: PageInput,
  question: Question,
): Promise<{ rows: EntryRow[]; pagination: Pagination }> {
  const { offset } = startOf(input);
  return tenant(ctx.scope, async (tx) => {
    const asked = await ask(tx, ctx, question);
    let total = offset > MAX_BLIND_OFFSET ? await countRows(tx, asked) : -1;
    const found = total >= 0 && offset >= total ? [] : await readRows(tx, asked, input);
    if (!input.skipCount && total < 0) total = totalBy(input, found);
    if (!input.skipCount && total < 0) total = await countRows(tx, asked);
    const rows = found.slice(0, input.limit);
    const last = found.length > input.limit ? (rows.at(-1) as EntryRow) : null;
    return { rows, pagination: paginate(input, input.skipCount ? -1 : total, last && placeOf(last)) };
  });
}

/**
 * Audit entries of the caller's organizations, newest first, in the flat format of the viewer component.
 * @throws AppError validation_failed for a cursor that is none.
 */
export async function listFlatEntries(ctx: Ctx, input: ListInput): Promise<FlatPage> {
  const { rows, pagination } = await readPage(ctx, input, input);
  return { entries: rows.map(toFlatEntry), pagination };
}

/** The same page in the full format. */
export async function listFullEntries(ctx: Ctx, input: ListInput): Promise<FullPage> {
  const { rows, pagination } = await readPage(ctx, input, input);
  return { data: rows.map(toFullEntry), pagination };
}
