import { type SQL, sql } from "drizzle-orm";
import { expect } from "vitest";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** The connections that wait for a lock of a test's; a relay's sign of life, which comes by itself, may wait beside them. */
const WAITING = sql`datname = current_database() AND wait_event_type = 'Lock' AND query NOT LIKE '%SET beat_at = now()%'`;

/** How many of this database's connections wait for a lock. */
const waiting = () =>
  asSystem(async (tx) => {
    const rows = await rowsOf<{ n: number }>(tx, sql`SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${WAITING}`);
    return rows[0]?.n ?? 0;
  });

/**
 * Does several things at the same moment, every time: rows that all of them change are held until each waits for them.
 * @param lock a SELECT … FOR UPDATE of the rows
 * @param works begun one after the other, each once those before it wait
 */
export async function atOnce<T>(lock: SQL, works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const begun: Promise<T>[] = [];
  await asSystem(async (tx) => {
    await tx.execute(lock);
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
