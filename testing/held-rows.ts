import { type SQL, sql } from "drizzle-orm";
import { expect } from "vitest";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** Connections waiting for a test's lock, possibly beside a relay's periodic beat. */
const WAITING = sql`datname = current_database() AND wait_event_type = 'Lock' AND query NOT LIKE '%SET beat_at = now()%'`;

/** Takes a lock: a SELECT … FOR UPDATE, or a function of the product. */
type Lock = SQL | ((tx: Tx) => Promise<unknown>);
const take = (tx: Tx, lock: Lock): Promise<unknown> => (typeof lock === "function" ? lock(tx) : tx.execute(lock));

/** Number of this database's connections waiting for a lock. */
export const waiting = () =>
  asSystem(async (tx) => {
    const rows = await rowsOf<{ n: number }>(tx, sql`SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${WAITING}`);
    return rows[0]?.n ?? 0;
  });

/**
 * Runs several tasks at once, deterministically: locks rows that all of them change until each waits.
 * @param works started one by one, each when the earlier ones wait
 */
export async function atOnce<T>(lock: Lock, works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const begun: Promise<T>[] = [];
  await asSystem(async (tx) => {
    await take(tx, lock);
    for (const work of works) {
      begun.push(work());
      await expect.poll(waiting, { timeout: 25_000 }).toBe(begun.length);
    }
  });
  return Promise.all(begun);
}

/**
 * Runs a task that the database aborts at locked rows; earlier commits stay.
 * @param lock a SELECT … FOR UPDATE of the rows
 */
export function cutOffAt<T>(lock: SQL, work: () => Promise<T>): Promise<T> {
  const cancel = () =>
    asSystem((tx) => tx.execute(sql`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE ${WAITING}`));
  return asSystem(async (tx) => {
    await tx.execute(lock);
    const working = work();
    await expect.poll(async () => (await cancel()).length, { timeout: 25_000 }).toBe(1);
    return working;
  });
}

/** Number of connections, of any role, waiting for this transaction. */
const waitingFor = async (tx: Tx) => {
  const rows = await rowsOf<{ n: number }>(
    tx,
    sql`SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
  );
  return rows[0]?.n ?? 0;
};

/** Runs a task while `work` waits for locked rows or another lock; then `work` continues. */
export async function whileHeld<T>(lock: Lock, work: () => Promise<T>, meanwhile: (tx: Tx) => unknown): Promise<T> {
  const { working } = await asSystem(async (tx) => {
    await take(tx, lock);
    // Not awaited here: the lock is released when this ends.
    const begun = { working: work() };
    await expect.poll(() => waitingFor(tx), { timeout: 25_000 }).toBe(1);
    await meanwhile(tx);
    return begun;
  });
  return working;
}
