import { type SQL, sql } from "drizzle-orm";
import { expect } from "vitest";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** How many of this database's connections wait for a lock. */
const waiting = () =>
  asSystem(async (tx) => {
    const rows = await rowsOf<{ n: number }>(
      tx,
      sql`SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
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
      await expect.poll(waiting, { timeout: 10_000 }).toBe(begun.length);
    }
  });
  return Promise.all(begun);
}
