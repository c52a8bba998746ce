import { tenant } from "@/db/client";
import type { Ctx } from "../context";
import { countRows } from "./count";
import { decodeCursor, encodeCursor } from "./cursor";
import { conditionsOf } from "./filters";
import { type EntryRow, fetchRows } from "./row-query";
import type { FlatPage, FullPage, ListInput, Pagination } from "./schema";
import { toFlatEntry, toFullEntry } from "./to-entry";

function paginate(input: ListInput, total: number, rows: EntryRow[], more: boolean): Pagination {
  const last = rows.at(-1);
  return {
    page: input.page,
    limit: input.limit,
    total,
    totalPages: total < 0 ? -1 : Math.ceil(total / input.limit),
    nextCursor: more && last ? encodeCursor({ ms: last.ms, seq: last.chain_seq, orgId: last.org_id }) : null,
  };
}

/** One page of stored rows with its pagination; one row more is read to know whether another page follows. */
async function readPage(ctx: Ctx, input: ListInput): Promise<{ rows: EntryRow[]; pagination: Pagination }> {
  const after = input.cursor ? decodeCursor(input.cursor) : undefined;
  const offset = after ? 0 : (input.page - 1) * input.limit;
  return tenant(ctx.scope, async (tx) => {
    const total = input.skipCount ? -1 : await countRows(tx, ctx.scope, input);
    const beyond = total >= 0 && offset >= total;
    const found = beyond
      ? []
      : await fetchRows(tx, ctx.scope, { conditions: conditionsOf(input), after, offset, limit: input.limit + 1 });
    const rows = found.slice(0, input.limit);
    return { rows, pagination: paginate(input, total, rows, found.length > input.limit) };
  });
}

/**
 * Audit entries of the caller's organizations, newest first, in the flat format of the viewer component.
 * @throws AppError validation_failed for a cursor that is none.
 */
export async function listFlatEntries(ctx: Ctx, input: ListInput): Promise<FlatPage> {
  const { rows, pagination } = await readPage(ctx, input);
  return { entries: rows.map(toFlatEntry), pagination };
}

/** The same page in the full format. */
export async function listFullEntries(ctx: Ctx, input: ListInput): Promise<FullPage> {
  const { rows, pagination } = await readPage(ctx, input);
  return { data: rows.map(toFullEntry), pagination };
}
