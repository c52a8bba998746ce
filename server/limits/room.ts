import { count, type SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Tx } from "@/db/client";
import { AppError } from "@/server/errors";

/** Rows of which an owner may have so many; `what` is their name in the refusal, `remedy` what makes room, if anything does. */
type Bound = { table: PgTable; where: SQL | undefined; max: number; what: string; remedy?: string };

/**
 * Holds an owner to a number of rows: what one of them piles up is listed, counted and worked through for everybody.
 * Two that ask at one moment may pass the bound by one.
 * @throws AppError conflict when there are that many already
 */
export async function requireRoom(tx: Tx, bound: Bound): Promise<void> {
  const { table, where, max, what, remedy = "End one first." } = bound;
  const [row] = await tx.select({ total: count() }).from(table).where(where);
  if ((row?.total ?? 0) >= max)
    throw new AppError("conflict", `There are ${max.toLocaleString("en")} ${what} already. ${remedy}`.trim());
}
