import { uptime } from "node:os";
import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { DAY_MS, HOUR_MS } from "@/server/ground/time/durations";

/** Thrown with a sentence for the operator; `expected` means that no stack is printed. */
class ClockError extends Error {
  readonly expected = true;
}

const MAX_MOVE_MS = DAY_MS;
/** By the time since the machine was started, which runs on while it sleeps and which cannot be set. */
const bootedAt = Date.now() - uptime() * 1000;

const hours = (ms: number): string => `${Math.round(Math.abs(ms) / HOUR_MS)} hours`;

/**
 * Retention removes what is so many days old by the clock. One that is set ahead makes yesterday's entries a year old, and
 * what was pruned does not come back: so each run asks whether the clock moved since the server started, and whether
 * the database has the same time. A clock that was wrong on both before that is not noticed.
 * @param now the time of this machine, in ms since 1970 UTC
 * @throws ClockError that says what was found
 */
export async function refuseMovedClock(now = Date.now()): Promise<void> {
  const moved = now - uptime() * 1000 - bootedAt;
  if (moved > MAX_MOVE_MS)
    throw new ClockError(
      `The clock of this machine was set ahead by ${hours(moved)} since the server started. Nothing is pruned until it is set back, or, where it is right now, the server is started again.`,
    );
  const [row] = await asSystem((tx) =>
    rowsOf<{ ms: number }>(tx, sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`),
  );
  const apart = (row?.ms ?? 0) - now;
  if (Math.abs(apart) > HOUR_MS)
    throw new ClockError(
      `The clocks of the database and of this machine are ${hours(apart)} apart. Nothing is pruned.`,
    );
}
