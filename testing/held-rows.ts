import { type SQL, sql } from "drizzle-orm";
import { expect } from "vitest";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** The connections that wait for a lock of a test's; a relay's sign of life, which comes by itself, may wait beside them. */
const WAITING = sql`datname = current_database() AND wait_event_type = 'Lock' AND query NOT LIKE '%SET beat_at = now()%'`;

/** What locks rows, or anything else: a SELECT … FOR UPDATE, or a function of the product that takes the lock. */
type Lock = SQL | ((tx: Tx) => Promise<unknown>);
const take = (tx: Tx, lock: Lock): Promise<unknown> => (typeof lock === "function" ? lock(tx) : tx.execute(lock));

/** How many of this database's connections wait for a lock. */
export const waiting = () =>
  asSystem(async (tx) => {
    const rows = await rowsOf<{ n: number }>(tx, sql`SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${WAITING}`);
    return rows[0]?.n ?? 0;
  });

/**
 * Does several things at the same moment, every time: rows that all of them change are held until each waits for them.
 * @param works begun one after the other, each once those before it wait
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
 * Does something that the database ends where it comes to rows that are held; what it committed before stays.
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

/** How many connections, of any role, wait for what this transaction holds. */
const waitingFor = async (tx: Tx) => {
  const rows = await rowsOf<{ n: number }>(
    tx,
    sql`SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
  );
  return rows[0]?.n ?? 0;
};

/** Does something while a work waits at rows, or at another lock, that are held; then the work goes on. */
export async function whileHeld<T>(lock: Lock, work: () => Promise<T>, meanwhile: (tx: Tx) => unknown): Promise<T> {
  const { working } = await asSystem(async (tx) => {
    await take(tx, lock);
    // Not awaited here: the lock is let go when this ends.
    const begun = { working: work() };
    await expect.poll(() => waitingFor(tx), { timeout: 25_000 }).toBe(1);
    await meanwhile(tx);
    return begun;
  });
  return working;
}
