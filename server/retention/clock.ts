import { uptime } from "node:os";
import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { ExpectedError } from "@/db/thrown";
import { DAY_MS, HOUR_MS } from "@/server/ground/time/durations";

const MAX_MOVE_MS = DAY_MS;
/** From the machine's uptime, which cannot be set and includes sleep. */
const bootedAt = Date.now() - uptime() * 1000;

const hours = (ms: number): string => `${Math.round(Math.abs(ms) / HOUR_MS)} hours`;

/**
 * Retention goes by the clock, and pruned entries do not come back. A clock set ahead would make yesterday's entries a
 * year old, so each run checks that the clock did not jump since the server started and agrees with the database. An
 * earlier common error is not noticed.
 * @param now the time of this machine, in ms since 1970 UTC
 * @throws ExpectedError describing the difference
 */
export async function refuseMovedClock(now = Date.now()): Promise<void> {
  const moved = now - uptime() * 1000 - bootedAt;
  if (moved > MAX_MOVE_MS)
    throw new ExpectedError(
      `The clock of this machine was set ahead by ${hours(moved)} since the server started. Nothing is pruned until it is set back, or, where it is right now, the server is started again.`,
    );
  const [row] = await asSystem((tx) =>
    rowsOf<{ ms: number }>(tx, sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`),
  );
  const apart = (row?.ms ?? 0) - now;
  if (Math.abs(apart) > HOUR_MS)
    throw new ExpectedError(
      `The clocks of the database and of this machine are ${hours(apart)} apart. Nothing is pruned.`,
    );
}
