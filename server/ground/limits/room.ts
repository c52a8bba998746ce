import { count, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Tx } from "@/db/client";
import { AppError } from "@/server/ground/errors";

/**
 * A limit on an owner's rows; `what` names them in the refusal, `remedy` says how to make room, where there is a way.
 */
type Bound = { table: PgTable; where: SQL | undefined; max: number; owner: string; what: string; remedy?: string };

/** Makes transactions that count the same thing wait for each other, so that each sees the rows of those before it. */
export const countInTurn = (tx: Tx, counted: string): Promise<unknown> =>
  tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`count ${counted}`}, 0))`);

/**
 * Limits an owner's rows: what one owner piles up makes lists, counts and background work slower for all.
 * @throws AppError conflict when there are that many already
 */
export async function requireRoom(tx: Tx, bound: Bound): Promise<void> {
  const { table, where, max, owner, what, remedy = "End one first." } = bound;
  await countInTurn(tx, `${what} of ${owner}`);
  const [row] = await tx.select({ total: count() }).from(table).where(where);
  if ((row?.total ?? 0) >= max)
    throw new AppError("conflict", `There are ${max.toLocaleString("en")} ${what} already. ${remedy}`.trim());
}
