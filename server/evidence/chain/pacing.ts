import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { env } from "@/server/ground/env";
import { hasOtherCallers } from "@/server/ground/limits/fair-share";

/** So long rows are read before writers have the processor for as long. */
const TURN_MS = 10;
/** How often the poll for writers runs; that there were none counts until the poll after the next. */
const POLL_MS = 50;

/**
 * How far the database's write-ahead log goes: farther each time that anything was written, committed or not.
 * @returns null on a distributed database, where no node knows of all
 */
export async function writtenUpTo(): Promise<string | null> {
  if (env().TRAILMARK_CITUS) return null;
  const [row] = await asSystem((tx) =>
    rowsOf<{ position: string }>(tx, sql`SELECT pg_current_wal_insert_lsn()::text AS position`),
  );
  return row?.position ?? null;
}

/** Pages and lists are answered by the thread that a long reading runs on, and write nothing. */
const isAsked = () => hasOtherCallers({ type: "system" });

type Sources = { written?: () => Promise<string | null>; asked?: () => boolean; now?: () => number };

/**
 * A long reading gives as much time to others as it takes: it stops for as long as it ran, at intervals. It runs
 * at full speed while there are no writers and no requests to this process.
 */
export function pacing({
  written = writtenUpTo,
  asked = isAsked,
  now = () => performance.now(),
}: Sources = {}): () => Promise<void> | null {
  let since = now();
  let nextPoll = since;
  let quietUntil = since;
  let last: string | null = null;
  const poll = async () => {
    const seen = await written().catch(() => null);
    const isQuiet = seen !== null && seen === last;
    last = seen;
    quietUntil = isQuiet ? now() + 2 * POLL_MS : now();
    nextPoll = now() + POLL_MS;
  };
  return () => {
    const at = now();
    if (at >= nextPoll) {
      nextPoll = Number.POSITIVE_INFINITY;
      void poll();
    }
    const worked = at - since;
    if (worked < TURN_MS) return null;
    if (at < quietUntil && !asked()) {
      since = at;
      return null;
    }
    return sleep(worked).then(() => {
      since = now();
    });
  };
}
