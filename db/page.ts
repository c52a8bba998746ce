import type { SQL } from "drizzle-orm";
import type { PgSelect, PgTable } from "drizzle-orm/pg-core";
import type { Tx } from "./client";

type PageInput = { page: number; limit: number };

/** Pagination member of an answer. */
export const paginate = ({ page, limit }: PageInput, total: number) => ({
  page,
  limit,
  total,
  totalPages: Math.ceil(total / limit),
});

type Paged<Q> = { from: PgTable; query: Q; where: SQL | undefined };

/** Rows of one page of a query in its order, and the number of all matches in its table. */
export async function readPage<Q extends PgSelect>(tx: Tx, input: PageInput, { from, query, where }: Paged<Q>) {
  const [rows, total] = await Promise.all([
    query
      .where(where)
      .limit(input.limit)
      .offset((input.page - 1) * input.limit),
    tx.$count(from, where),
  ]);
  return { rows, pagination: paginate(input, total) };
}
