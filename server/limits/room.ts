import { count, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Tx } from "@/db/client";
import { AppError } from "@/server/errors";

/** Rows of which an owner may have so many; `what` is their name in the refusal, `remedy` what makes room, if anything does. */
type Bound = { table: PgTable; where: SQL | undefined; max: number; owner: string; what: string; remedy?: string };

/** Counts what an owner has after any other transaction that counts the same has stored its row: none slips by. */
export const countInTurn = (tx: Tx, counted: string): Promise<unknown> =>
  tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`count ${counted}`}, 0))`);

/**
 * Holds an owner to a number of rows: what one of them piles up is listed, counted and worked through for all.
 * @throws AppError conflict when there are that many already
 */
export async function requireRoom(tx: Tx, bound: Bound): Promise<void> {
  const { table, where, max, owner, what, remedy = "End one first." } = bound;
  await countInTurn(tx, `${what} of ${owner}`);
  const [row] = await tx.select({ total: count() }).from(table).where(where);
  if ((row?.total ?? 0) >= max)
    throw new AppError("conflict", `There are ${max.toLocaleString("en")} ${what} already. ${remedy}`.trim());
}
