import { count, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Tx } from "@/db/client";
import { users } from "@/db/schema";
import { AppError } from "@/server/ground/errors";
import { type Owner, ofOwner } from "@/server/ground/scope";

/** A limit on an owner's rows; `what` names them in the refusal, `remedy` tells how to free some. */
type Quota = { table: PgTable; where: SQL | undefined; max: number; owner: string; what: string; remedy?: string };

/** Serializes transactions that count the same rows. */
export const countInTurn = (tx: Tx, counted: string): Promise<unknown> =>
  tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`count ${counted}`}, 0))`);

/**
 * Limits an owner's rows, because large numbers slow lists, counts and background work for all.
 * @throws AppError conflict at the limit
 */
export async function requireQuota(tx: Tx, quota: Quota): Promise<void> {
  const { table, where, max, owner, what, remedy = "End one first." } = quota;
  await countInTurn(tx, `${what} of ${owner}`);
  const [row] = await tx.select({ total: count() }).from(table).where(where);
  if ((row?.total ?? 0) >= max)
    throw new AppError("conflict", `There are ${max.toLocaleString("en")} ${what} already. ${remedy}`.trim());
}

/** Limit of an organization's people and of a partner's staff, disabled ones included, whose history is kept. */
const MAX_USERS_PER_OWNER = 10_000;

/** @throws AppError conflict when the organization, or (without one) the partner's staff, is full */
export async function requireUserQuota(tx: Tx, owner: Owner): Promise<void> {
  const where = ofOwner(users, owner);
  const remedy = "Disabled ones count; enable one instead.";
  const id = owner.orgId ?? owner.partnerId;
  await requireQuota(tx, { table: users, where, max: MAX_USERS_PER_OWNER, owner: id, what: "users", remedy });
}
